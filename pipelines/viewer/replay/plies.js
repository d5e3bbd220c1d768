/*
 * The ply list: every ply by round. A click on a ply goes to it.
 */

/**
 * @param {object} game
 * @param {(at: number) => void} go called with the ply that a person chooses
 */
function createPliesView(game, go) {
  const prefix = `ply-${Math.random().toString(36).slice(2, 8)}-`; // ids must differ from those of a second replay on the page
  const rows = game.steps.map((step, at) => createPlyRow(game, step, `${prefix}${at}`));
  const groups = roundStarts(game).map((from, index, starts) => {
    const own = rows.slice(from, starts[index + 1] ?? rows.length);
    const { round } = game.steps[from];
    const node = html("div", { class: "round", role: "group", "aria-label": `Round ${round}` }, html("h3", { "aria-hidden": "true" }, `Round ${round}`), ...own);
    return { node, own };
  });
  const list = html("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": "Ply list" }, ...groups.map(({ node }) => node));
  const filter = html("select", { "aria-label": "Show plies of" }, html("option", { value: "" }, "all plies"));
  game.seats.forEach(({ name }, seat) => filter.append(html("option", { value: seat }, name)));
  if (game.steps.some((step) => step.seat === CHANCE)) filter.append(html("option", { value: CHANCE }, "the dice"));
  let current = null;

  list.addEventListener("click", (event) => {
    const at = rows.indexOf(event.target.closest?.('[role="option"]'));
    if (at >= 0) go(at);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    let at = current === null ? START : rows.indexOf(current);
    do at += step;
    while (rows[at]?.hidden);
    if (rows[at]) go(at);
  });
  filter.addEventListener("change", () => {
    rows.forEach((row, at) => {
      row.hidden = filter.value !== "" && game.steps[at].seat !== Number(filter.value);
    });
    for (const { node, own } of groups) node.hidden = own.every((row) => row.hidden);
    scrollToCurrent();
  });

  /** Scroll the list, and not the page, until the current ply is visible. */
  function scrollToCurrent() {
    if (!current || current.hidden) return;
    const top = current.offsetTop;
    const room = list.clientHeight;
    if (top < list.scrollTop + 28 || top + current.offsetHeight > list.scrollTop + room - 12) list.scrollTop = top - room / 2.5;
  }

  return {
    /** Mark bad choices and lucky or unlucky rolls; null removes the marks. */
    setReview(review) {
      rows.forEach((row, at) => {
        row.querySelector(".ply-mark")?.remove();
        const mark = review && !review.problem ? plyMark(review, game, at) : null;
        row.title = mark ? `${game.steps[at].caption} (${mark.words})` : game.steps[at].caption;
        if (!mark) return;
        const glyph = html("b", { "aria-hidden": "true" }, mark.glyph);
        row.lastChild.before(html("span", { class: `ply-mark badge ${mark.kind}` }, glyph, html("span", { class: "unseen" }, mark.words)));
      });
    },
    node: html("aside", { class: "plies", "aria-label": "Plies" }, html("div", { class: "plies-head" }, html("h2", {}, "Ply list"), filter), list),
    show(at) {
      current?.removeAttribute("aria-selected");
      current = rows[at] ?? null;
      current?.setAttribute("aria-selected", "true");
      if (current) list.setAttribute("aria-activedescendant", current.id);
      else {
        list.removeAttribute("aria-activedescendant");
        list.scrollTop = 0;
      }
      requestAnimationFrame(scrollToCurrent);
    },
  };
}

function createPlyRow(game, step, id) {
  const score = step.seat === CHANCE ? "" : formatNumber(step.scores[step.seat]);
  return html(
    "div",
    { class: "ply", role: "option", id, title: step.caption, "data-kind": step.seat === CHANCE ? "chance" : null },
    html("span", { class: "number" }, String(step.ply)),
    createSeatChip(game, step.seat),
    html("span", { class: "notation" }, step.notation),
    html("span", { class: "after" }, score),
  );
}
