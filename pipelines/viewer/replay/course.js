/*
 * The course of the scores: one line a seat over the plies, told apart by dashes and by labels at their ends.
 */

const DASHES = ["", "7 4", "2 3", "10 3 2 3"];
const COURSE = { least: 104, most: 190, top: 10, bottom: 20, left: 34, right: 74 };

/**
 * @param {object} game
 * @param {(at: number) => void} go called when somebody points at a ply
 */
function courseView(game, go) {
  const plot = svg("svg", { class: "plot", role: "img", height: COURSE.least, "aria-label": courseText(game) });
  const note = html("small");
  const against = html("button", { type: "button", "aria-pressed": "false", title: "Each score less the average of all seats" }, "against the average");
  const kinds = html("div", { class: "kinds", role: "group", "aria-label": "What the course shows", hidden: true });
  for (const [kind, { name }] of Object.entries(COURSE_KINDS)) {
    const button = html("button", { type: "button", "data-kind": kind }, name);
    button.addEventListener("click", () => showKind(kind));
    kinds.append(button);
  }
  const head = html("div", { class: "course-head" }, html("h2", {}, "Score course"), kinds, note, game.seats.length > 1 ? against : "");
  const node = html("section", { class: "course", "aria-label": "Score course" }, head, plot);
  const scores = [game.startScores, ...game.steps.map((step) => step.scores)];
  let review = null;
  let kind = "score";
  let isAgainst = false;
  let chart = null;
  let shownAt = START;

  function pointed(event) {
    const x = event.clientX - plot.getBoundingClientRect().left;
    go(chart.plyAt(x));
  }
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !chart) return;
    plot.setPointerCapture(event.pointerId);
    pointed(event);
  });
  plot.addEventListener("pointermove", (event) => {
    if (plot.hasPointerCapture(event.pointerId)) pointed(event);
  });

  against.addEventListener("click", () => {
    isAgainst = !isAgainst;
    showKind(kind);
  });

  /** Show scores, or what a review expects. */
  function showKind(wanted) {
    kind = wanted;
    for (const button of kinds.children) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
    against.hidden = kind === "wins";
    against.setAttribute("aria-pressed", String(isAgainst));
    write(note, kind === "score" ? (game.lowestWins ? "the lowest score wins" : "") : `playouts by ${review.policy}, with 95\u202f% intervals`);
    if (chart) draw(chart.width, chart.height);
  }
  showKind(kind);

  /** The lines as [value, half] of all seats, the start first; null where a review has not got yet. */
  function rowsOf() {
    if (kind === "wins") return review.wins.map((row) => row && row.map(([value, half]) => [100 * value, 100 * half]));
    const rows = kind === "score" ? scores.map((row) => row.map((score) => [score, 0])) : review.scores;
    if (!isAgainst) return rows;
    return rows.map((row) => row && row.map(([value, half]) => [value - row.reduce((sum, [other]) => sum + other, 0) / row.length, half]));
  }

  function draw(width, height) {
    chart = courseChart(game, rowsOf(), width, height, { ...COURSE_KINDS[kind], mistakes: kind === "score" || !review ? [] : review.mistakes });
    plot.setAttribute("height", String(height));
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.replaceChildren(...chart.nodes);
    plot.setAttribute("aria-label", kind === "score" ? courseText(game) : expectedText(game, review, kind));
    chart.show(shownAt);
  }

  return {
    node,
    setReview(found) {
      const isFirst = !review;
      review = found?.problem ? null : found;
      kinds.hidden = !review;
      head.firstChild.hidden = Boolean(review);
      showKind(review ? (isFirst ? "wins" : kind) : "score");
    },
    /** Pixels of height beyond the least. */
    get spare() {
      return chart ? chart.height - COURSE.least : 0;
    },
    /** Draw for the width there is; `spare` pixels of height may be used on top of the least. */
    resize(spare) {
      const width = Math.round(plot.clientWidth || plot.parentElement.clientWidth);
      const height = Math.round(Math.max(COURSE.least, Math.min(COURSE.most, COURSE.least + spare)));
      if (!width || (chart?.width === width && chart.height === height)) return;
      draw(width, height);
    },
    show(at) {
      shownAt = at;
      chart?.show(at);
    },
  };
}

function courseText(game) {
  const last = game.steps.at(-1)?.scores ?? game.startScores;
  const ends = game.seats.map(({ name }, seat) => `${name} from ${game.startScores[seat]} to ${last[seat]}`);
  return `Scores over ${game.steps.length} plies: ${ends.join("; ")}.`;
}

/** What playouts expect, in words: at the start and at the end of what is known. */
function expectedText(game, review, kind) {
  const rows = (kind === "wins" ? review.wins : review.scores).filter(Boolean);
  if (!rows.length) return "Nothing is valued yet.";
  const text = (value) => (kind === "wins" ? percent(value) : tenths(value));
  const ends = game.seats.map(({ name }, seat) => `${name} from ${text(rows[0][seat][0])} to ${text(rows.at(-1)[seat][0])}`);
  return `${COURSE_KINDS[kind].name} over ${rows.length - 1} plies: ${ends.join("; ")}.`;
}

const COURSE_KINDS = {
  score: { name: "Score", unit: "" },
  expected: { name: "Expected score", unit: "" },
  wins: { name: "Win chance", unit: "\u202f%", most: 100 },
};

/**
 * Lay the chart out for a width and a height in pixels.
 * @param {([number, number][] | null)[]} rows values of all seats with half widths of their bands, the start first
 * @param {{unit: string, most?: number, mistakes: number[]}} options `most`: the top, whatever the values
 */
function courseChart(game, rows, width, height, { unit, most, mistakes }) {
  const plies = game.steps.length;
  const left = COURSE.left + 4 * unit.length;
  const right = width - COURSE.right;
  const floor = height - COURSE.bottom;
  const known = rows.filter(Boolean);
  const all = known.flat();
  const low = most ? 0 : all.reduce((least, [value, half]) => Math.min(least, value - half), 0);
  const high = most ?? all.reduce((top, [value, half]) => Math.max(top, value + half), low + 1);
  const x = (at) => round1(left + ((at + 1) / Math.max(1, plies)) * (right - left));
  const y = (score) => round1(floor - ((Math.max(low, Math.min(high, score)) - low) / (high - low || 1)) * (floor - COURSE.top));

  const grid = svg("g", { class: "grid" });
  for (const tick of niceTicks(low, high)) {
    grid.append(svg("path", { d: `M${left} ${y(tick)}H${right}` }), svg("text", { class: "up", x: left - 7, y: y(tick) }, minus(tick) + unit));
  }
  for (const [round, at] of roundTicks(game, right - left)) {
    grid.append(svg("path", { class: "tick", d: `M${x(at - 1)} ${floor}v4` }), svg("text", { class: "along", x: x(at - 1), y: floor + 12 }, round));
  }
  const hasBands = known.some((row) => row.some(([, half]) => half > 0));
  const bands = game.seats.flatMap(({ colour }, seat) => (hasBands ? [svg("path", { class: `band ${paintOf(colour)}`, d: bandPath(rows, seat, x, y) })] : []));
  const lines = game.seats.map(({ colour }, seat) =>
    svg("path", {
      class: `score-line ${paintOf(colour)}`,
      d: rows.map((row, index) => (row ? `${rows[index - 1] ? "L" : "M"}${x(index - 1)} ${y(row[seat][0])}` : "")).join(""),
      "stroke-dasharray": DASHES[seat % DASHES.length] || null,
    }),
  );
  const marks = mistakes.filter((at) => rows[at + 1]).map((at) => {
    const { seat } = game.steps[at];
    return svg("circle", { class: `slip ${paintOf(game.seats[seat]?.colour ?? "ink")}`, cx: x(at), cy: y(rows[at + 1][Math.max(0, seat)][0]), r: 3 });
  });
  const rule = svg("path", { class: "rule", d: `M0 ${COURSE.top - 6}V${floor}` });
  const dots = game.seats.map(({ colour }) => svg("circle", { class: `dot ${paintOf(colour)}`, r: 4 }));
  return {
    width,
    height,
    nodes: [grid, ...(known.length ? endLabels(game, known.at(-1).map(([value]) => value), right, y, height) : []), ...bands, ...lines, ...marks, rule, ...dots],
    plyAt: (px) => Math.max(START, Math.min(plies - 1, Math.round(((px - left) / (right - left)) * plies) - 1)),
    show(at) {
      rule.setAttribute("transform", `translate(${x(at)} 0)`);
      const row = rows[at + 1];
      dots.forEach((dot, seat) => {
        dot.toggleAttribute("hidden", !row);
        if (row) dot.setAttribute("transform", `translate(${x(at)} ${y(row[seat][0])})`);
      });
    },
  };
}

/** The band of a seat: there along its upper edge, back along its lower one, for each stretch that is known. */
function bandPath(rows, seat, x, y) {
  const stretches = [];
  rows.forEach((row, index) => {
    if (row && !rows[index - 1]) stretches.push([]);
    if (row) stretches.at(-1).push(index);
  });
  const edge = (stretch, side) => stretch.map((index) => `${x(index - 1)} ${y(rows[index][seat][0] + side * rows[index][seat][1])}`);
  return stretches.map((stretch) => `M${[...edge(stretch, 1), ...edge(stretch, -1).reverse()].join("L")}Z`).join("");
}

/** Labels at the ends of the lines, pushed apart where they would overlap. */
function endLabels(game, scores, right, y, height) {
  const ends = game.seats.map(({ name }, seat) => ({ name, seat, aim: y(scores[seat]) })).sort((a, b) => a.aim - b.aim);
  const gap = Math.min(13, (height - COURSE.bottom) / Math.max(1, ends.length));
  ends.forEach((end, index) => {
    end.at = index ? Math.max(end.aim, ends[index - 1].at + gap) : Math.max(end.aim, COURSE.top - 2);
  });
  let lowest = height - COURSE.bottom + 2;
  for (const end of ends.toReversed()) {
    end.at = Math.min(end.at, lowest);
    lowest = end.at - gap;
  }
  return ends.map(({ name, seat, aim, at }) =>
    svg(
      "g",
      { class: `end ${paintOf(game.seats[seat].colour)}` },
      svg("path", { d: `M${right + 3} ${aim}L${right + 10} ${at}h5` }),
      svg("text", { x: right + 18, y: at }, name.length > 9 ? `${name.slice(0, 8)}\u2026` : name),
    ),
  );
}

/** Three or four round numbers within a range. */
function niceTicks(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((nice) => nice >= rough));
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}

/** Rounds to name below the chart, as many as there is room for: [round, first ply]. */
function roundTicks(game, room) {
  const starts = roundStarts(game);
  const every = Math.ceil(starts.length / Math.max(1, Math.floor(room / 44)));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((nice) => nice >= every) ?? every;
  const least = (24 / room) * game.steps.length; // plies between two names that do not touch
  let named = -Infinity;
  return starts.flatMap((at, index) => {
    if (index % step || at - named < (index === step ? 1.6 : 1) * least) return [];
    named = at;
    return [[index ? String(game.steps[at].round) : `round ${game.steps[at].round}`, at]];
  });
}

/** The first ply of every round. */
function roundStarts(game) {
  return game.steps.flatMap((step, at) => (at === 0 || game.steps[at - 1].round !== step.round ? [at] : []));
}
