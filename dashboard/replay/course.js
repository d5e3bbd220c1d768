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
  const note = html("small", {}, game.lowestWins ? "the lowest score wins" : "");
  const against = html("button", { type: "button", "aria-pressed": "false", title: "Each score less the average of all seats" }, "against the average");
  const head = html("div", { class: "course-head" }, html("h2", {}, "Score course", note), game.seats.length > 1 ? against : "");
  const node = html("section", { class: "course", "aria-label": "Score course" }, head, plot);
  const scores = [game.startScores, ...game.steps.map((step) => step.scores)];
  let rows = scores;
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
    const isAgainst = against.getAttribute("aria-pressed") === "false";
    against.setAttribute("aria-pressed", String(isAgainst));
    rows = isAgainst ? scores.map((row) => row.map((score) => score - row.reduce((a, b) => a + b, 0) / row.length)) : scores;
    draw(chart.width, chart.height);
  });

  function draw(width, height) {
    chart = courseChart(game, rows, width, height);
    plot.setAttribute("height", String(height));
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.replaceChildren(...chart.nodes);
    chart.show(shownAt);
  }

  return {
    node,
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

/** Lay the chart out for a width and a height in pixels; `rows` are the values of all seats, the start first. */
function courseChart(game, rows, width, height) {
  const plies = game.steps.length;
  const right = width - COURSE.right;
  const floor = height - COURSE.bottom;
  const all = rows.flat();
  const low = all.reduce((a, b) => Math.min(a, b), 0);
  const high = all.reduce((a, b) => Math.max(a, b), low + 1);
  const x = (at) => round1(COURSE.left + ((at + 1) / Math.max(1, plies)) * (right - COURSE.left));
  const y = (score) => round1(floor - ((score - low) / (high - low || 1)) * (floor - COURSE.top));

  const grid = svg("g", { class: "grid" });
  for (const tick of niceTicks(low, high)) {
    grid.append(svg("path", { d: `M${COURSE.left} ${y(tick)}H${right}` }), svg("text", { class: "up", x: COURSE.left - 7, y: y(tick) }, minus(tick)));
  }
  for (const [round, at] of roundTicks(game, right - COURSE.left)) {
    grid.append(svg("path", { class: "tick", d: `M${x(at - 1)} ${floor}v4` }), svg("text", { class: "along", x: x(at - 1), y: floor + 12 }, round));
  }
  const lines = game.seats.map(({ colour }, seat) =>
    svg("path", {
      class: `score-line ${paintOf(colour)}`,
      d: rows.map((scores, index) => `${index ? "L" : "M"}${x(index - 1)} ${y(scores[seat])}`).join(""),
      "stroke-dasharray": DASHES[seat % DASHES.length] || null,
    }),
  );
  const rule = svg("path", { class: "rule", d: `M0 ${COURSE.top - 6}V${floor}` });
  const dots = game.seats.map(({ colour }) => svg("circle", { class: `dot ${paintOf(colour)}`, r: 4 }));
  return {
    width,
    height,
    nodes: [grid, ...endLabels(game, rows.at(-1), right, y, height), ...lines, rule, ...dots],
    plyAt: (px) => Math.max(START, Math.min(plies - 1, Math.round(((px - COURSE.left) / (right - COURSE.left)) * plies) - 1)),
    show(at) {
      rule.setAttribute("transform", `translate(${x(at)} 0)`);
      dots.forEach((dot, seat) => dot.setAttribute("transform", `translate(${x(at)} ${y(rows[at + 1][seat])})`));
    },
  };
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
