/*
 * The verdict: what the review says of the ply that is shown, how far it is, and the way to the next ply worth a look.
 */

function verdictView(game, deeds) {
  const words = html("p", { class: "verdict-words", "aria-live": "polite" });
  const mistakes = jumps("mistake", "M", deeds.mistakeBack, deeds.mistakeOn, "Inaccuracies, mistakes and blunders");
  const rolls = jumps("roll", "N", deeds.rollBack, deeds.rollOn, "Lucky and unlucky rolls");
  const ghost = html("button", { type: "button", class: "ghost-switch", "aria-pressed": "true", title: "Show the better choice on the board (G)" }, ghostSwatch(), "show better");
  ghost.addEventListener("click", deeds.ghost);
  const progress = progressView();
  const tools = html("div", { class: "jumps" }, progress.node, mistakes.node, rolls.node, ghost);
  const node = html("section", { class: "verdict", "aria-label": "Review of this ply", hidden: true }, words, tools);
  let review = null;
  let said = "";
  return {
    node,
    setReview(found) {
      review = found;
      node.hidden = !review;
      node.toggleAttribute("data-problem", Boolean(review?.problem));
      if (!review || review.problem) return;
      progress.show(review);
      mistakes.count(review.mistakes.length, "mistakes", "mistake");
      rolls.count(review.largeRolls.length, "(un)lucky rolls", "(un)lucky roll");
      rolls.node.hidden = !game.steps.some((step) => step.seat === CHANCE);
    },
    showGhost(isShown) {
      ghost.setAttribute("aria-pressed", String(isShown));
    },
    /** While the game plays by itself, nobody wants every verdict read aloud. */
    hush(isQuiet) {
      words.setAttribute("aria-live", isQuiet ? "off" : "polite");
    },
    /** @param {(ply: number, action: string) => string | null} whatif the address that asks about an action */
    show(at, step, whatif) {
      if (!review) return;
      const parts = review.problem ? [review.problem] : verdict(game, review, at, step, whatif);
      // A review on its way is shown again and again: what has not changed is not written, or it were read aloud anew.
      const now = `${at} ${parts.map((part) => part.textContent ?? part).join("")}`;
      if (now !== said) words.replaceChildren(...parts);
      said = now;
    },
  };
}

/** How far a review is; gone when it is done. */
function progressView() {
  const bar = html("progress", { max: 1, value: 0, "aria-label": "Review" });
  const text = html("span");
  const node = html("div", { class: "progress" }, bar, text);
  return {
    node,
    show({ done, steps, isDone }) {
      node.hidden = isDone;
      bar.max = Math.max(1, steps);
      bar.value = done;
      write(text, done ? `reviewing, ${Math.floor((100 * done) / Math.max(1, steps))}\u202f%` : "getting ready");
    },
  };
}

const ghostSwatch = () => svg("svg", { class: "ghost-swatch", width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("rect", { x: 1.5, y: 1.5, width: 11, height: 11 }));

/** Two arrows around a count. */
function jumps(what, key, back, on, title) {
  const arrow = (glyph, label, deed) => {
    const made = html("button", { type: "button", "aria-label": label, title: label }, glyph);
    made.addEventListener("click", deed);
    return made;
  };
  const label = html("span", { title });
  const before = arrow("\u2039", `Previous ${what} (Shift+${key})`, back);
  const after = arrow("\u203a", `Next ${what} (${key})`, on);
  return {
    node: html("div", { class: "jump", role: "group", "aria-label": title }, before, label, after),
    count(number, many, one) {
      write(label, `${number || "no"} ${number === 1 ? one : many}`);
      for (const made of [before, after]) made.disabled = number === 0;
    },
  };
}

/** The verdict on a ply, as nodes and texts. */
function verdict(game, review, at, step, whatif) {
  if (at === START) return startVerdict(game, review);
  const isRoll = step.seat === CHANCE;
  const roll = review.rolls.get(at);
  if (isRoll) return roll?.points && roll.wins ? rollVerdict(game, review, roll, at) : [review.isDone ? "Nothing is known of this roll." : "This roll is not valued yet."];
  const decision = review.decisions.get(at);
  if (!decision) return [review.isDone ? "The only action there was." : "This ply is not judged yet."];
  const badge = badgeOf(decision.judged);
  if (!decision.better) return [badge, ` of ${foundAmong(review, decision)}.`];
  const lead = decision.judged === "best" ? ` or nearly so, of ${foundAmong(review, decision)}: ` : CLASSES[decision.judged].glyph ? " " : ": ";
  const address = whatif(step.ply, decision.better);
  const name = address
    ? html("a", { href: address, target: "_self", title: "What if this had been chosen?" }, decision.better)
    : html("b", {}, decision.better);
  const shown = ghostOf(review, at).length ? [" ", html("span", { class: "whole" }, "(", ghostSwatch(), " on the board)")] : [];
  const other = CLASSES[decision.judged].glyph ? "better" : "the best other";
  return [badge, `${lead}${lossText(decision)}; ${other}: `, name, ...shown];
}

/** "44", or "the 12 most promising of 44" where not all were looked at. */
const foundAmong = (review, decision) =>
  decision.options <= review.candidates || !review.candidates ? String(decision.options) : `the ${review.candidates} most promising of ${decision.options}`;

function lossText({ judged, points, wins }) {
  if (!points || !wins) return "too few playouts to say what it cost";
  const parts = [points[0] > 0 && pointsText(points), wins[0] > 0 && winsText(wins)].filter(Boolean);
  if (!parts.length) return "gave nothing away";
  return `${judged === "unclear" ? "perhaps gave away" : "gave away"} ${parts.join(" and ")}`;
}

function badgeOf(judged) {
  const { glyph, one } = CLASSES[judged];
  return html("span", { class: `badge ${judged}` }, glyph ? html("b", { "aria-hidden": "true" }, glyph) : "", one);
}

function rollVerdict(game, review, roll, at) {
  const mark = markOfPly(review, game, at);
  const name = mark ? `${mark.kind} for ${game.seats[roll.large].name}` : "";
  const badge = mark ? [html("span", { class: `badge ${mark.kind}` }, html("b", { "aria-hidden": "true" }, mark.glyph.slice(0, 1)), name), ". "] : [];
  const seats = roll.wins.map(([wins, half], seat) => {
    const [points, about] = roll.points[seat];
    return html(
      "span",
      { class: "luck" },
      seatChip(game, seat),
      html("span", { class: "unseen" }, `${game.seats[seat].name}: `),
      html("span", {}, `${percent(wins, true)} `, html("small", {}, halfShare(half)), `, ${tenths(points, true)} `, html("small", {}, halfPoints(about))),
    );
  });
  return [...badge, "Luck in win chance and points: ", ...seats];
}

function startVerdict(game, review) {
  const marked = MARKED.toReversed().map((name) => [review.counts.reduce((sum, counts) => sum + counts[name], 0), CLASSES[name]]);
  const said = marked.filter(([count]) => count).map(([count, { one, many }]) => `${count} ${count === 1 ? one : many}`);
  const so = review.isDone ? "Reviewed" : "So far";
  if (said.length) return [`${so}: ${said.join(", ")}. M goes to the first.`];
  if (!review.isDone) return [review.done ? "The values of the positions come first, then every choice." : "The review begins."];
  return [`${so}: no choice that the playouts can tell from the best.`];
}
