/*
 * The ledger: where the result of every seat came from, and how good its choices were.
 */

function ledgerView(game) {
  const node = html("section", { class: "ledger", "aria-label": "Ledger", hidden: true });
  return {
    node,
    setReview(review) {
      node.hidden = !review || Boolean(review.problem);
      node.replaceChildren(...(node.hidden ? [] : ledgerParts(game, review)));
    },
  };
}

function ledgerParts(game, review) {
  const isMiddle = (part) => part > 0 && part < 4;
  const figure = (text, half) => [text, half ? html("small", {}, ` ${half}`) : ""];
  const score = ([value, half], part) => figure(half === 0 && value === Math.round(value) ? minus(value) : tenths(value, isMiddle(part)), halfPoints(half));
  const share = ([value, half], part) => figure(percent(value, isMiddle(part)), halfShare(half));
  const counts = review.counts.map((own) => CLASS_NAMES.map((name) => own[name]));
  const { points, wins } = review.ledgers ?? {};
  const tables = html(
    "div",
    { class: "ledger-tables" },
    points ? ledgerTable(game, "Points", LEDGER_PARTS, points, score) : "",
    wins ? ledgerTable(game, "Share of the win", LEDGER_PARTS, wins, share) : "",
    ledgerTable(game, review.isDone ? "Choices" : "Choices judged so far", CLASS_NAMES, counts, (count) => [String(count || "\u00b7")]),
  );
  return [html("h2", {}, "Where the results came from"), tables, ...notes(game, review)];
}

/** A row a seat. */
function ledgerTable(game, title, columns, rows, text) {
  const isChoices = columns === CLASS_NAMES;
  const heads = columns.map((name) => {
    const glyph = isChoices ? CLASSES[name].glyph : "";
    return html("th", { scope: "col", title: isChoices ? CLASSES[name].many : null }, glyph ? html("span", { class: `badge ${name}` }, html("b", {}, glyph), html("span", { class: "unseen" }, ` ${name}`)) : name);
  });
  const body = rows.map((row, seat) =>
    html(
      "tr",
      {},
      html("th", { scope: "row", title: game.seats[seat].strategy || null }, seatChip(game, seat), html("span", { class: "unseen" }, game.seats[seat].name)),
      ...row.map((value, part) => html("td", {}, ...text(value, part))),
    ),
  );
  return html("table", { class: isChoices ? "choices" : null }, html("caption", {}, title), html("thead", {}, html("tr", {}, html("td", {}), ...heads)), html("tbody", {}, ...body));
}

function notes(game, review) {
  const lowest = game.lowestWins ? " The lowest score wins, so fewer points are better." : "";
  const rolls = game.steps.some((step) => step.seat === CHANCE)
    ? ` A roll is marked if it moved somebody\u2019s share of the win by ${percent(review.large)} or more, and by more than the intervals leave open.`
    : "";
  const sums = review.ledgers
    ? [`start + luck + own choices + others = result. Start: expected final score before the first ply when everybody plays like ${review.policy}. Own choices: what they added to what ${review.policy} would have made of them.${lowest}`]
    : ["The accounts of points and shares follow when all positions are valued."];
  return [
    ...sums.map((text) => html("p", {}, text)),
    html("p", {}, `${review.playouts} playouts of every position; up to ${review.duel} of every choice and as many of the best other one found, on the same luck. \u00b1 is half a 95\u202f% interval; those of sums are cautious, most are surer. A choice is called an inaccuracy, a mistake or a blunder only if the whole interval of its loss lies at 5, 10 or 20\u202f% of the win or more.${rolls}`),
  ];
}
