/*
 * Replays inside a longer page. An element with `data-replay` names the element that holds its scene as JSON data, and
 * with `data-review`, `data-comments` and `data-lesson` those of its review, of what people wrote on its moves and of a lesson; `data-ply` is the ply after which it opens. A replay is made when it comes near
 * the window, so that a page with many of them opens at once. On paper, each is the picture of its boards at that ply. An
 * element with `data-continuations` names JSON data with continuations of a what-if question. One is shown on both
 * branches at once; on paper, it is the picture of both ends.
 */

import { createStoredAsking } from "./ask.js";
import { createBoardView } from "./boards.js";
import { createButton, html } from "./draw.js";
import { createLearning } from "./learn.js";
import { createLedgerView } from "./ledger.js";
import { describePlace } from "./moves.js";
import { formatNumber } from "./numbers.js";
import { readContinuations } from "./pair.js";
import { createPairPlayer } from "./pair_player.js";
import { readReview } from "./review.js";
import { createReplay } from "./replay.js";
import { createPosition, playerName, readScene } from "./scene.js";
import { asList, asRecord, asText, isWithin } from "./values.js";

const DOCUMENT_REPLAY_HEIGHT = 760; // pixels
const PRINTED_WIDTH = 620; // pixels for the boards of a picture
const MOST_PRINTED_BESIDE = 20; // columns of a board, for two pictures side by side
const LEAST_PRINTED_BOARD = 150; // pixels, if there are several in a row
const PRINTED_SQUARES = { least: 5, most: 22 };

const readJson = (id) => JSON.parse((id && document.getElementById(id)?.textContent) || "null");
const readLesson = (figure) => readJson(figure.dataset.lesson);
const openedPly = (figure) => (/^\d{1,6}$/.test(figure.dataset.ply ?? "") ? Number(figure.dataset.ply) : null);
const figures = [...document.querySelectorAll("[data-replay]")];
const watched = [...document.querySelectorAll("[data-continuations]")];
const replays = new Map();
const pictures = new Set();

function mountReplay(figure) {
  if (replays.has(figure)) return;
  const options = { ply: openedPly(figure), review: readJson(figure.dataset.review), comments: readJson(figure.dataset.comments), lesson: readLesson(figure), height: DOCUMENT_REPLAY_HEIGHT, isGuest: true };
  if (options.lesson) Object.assign(options, { learning: createLearning(createStoredAsking(options.lesson)), nextLesson: findNextLesson(figure) });
  replays.set(figure, createReplay(figure, readJson(figure.dataset.replay), options));
  figure.dataset.mounted = "true";
}

/** Return the function that goes to the next lesson of the page; null after the last one. */
function findNextLesson(figure) {
  const next = figures.slice(figures.indexOf(figure) + 1).find(({ dataset }) => dataset.lesson);
  if (!next) return null;
  return () => {
    mountReplay(next);
    (next.closest("section") ?? next).scrollIntoView();
    next.querySelector(".replay")?.focus({ preventScroll: true });
  };
}

/** Show one of several continuations on both branches, with buttons that show another one at the same place. */
function mountContinuations(figure) {
  if (replays.has(figure)) return;
  const { names, choices, opened } = readContinuationChoices(figure);
  const show = (at, isChosen) => {
    replays.get(figure)?.destroy();
    const tools = html("div", { class: "pair-tools", role: "group", "aria-label": "Which continuation" });
    for (const [index, choice] of choices.entries()) tools.append(createButton({ "aria-pressed": String(index === at) }, () => show(index, true), asText(choice.name, 60)));
    replays.set(figure, createPairPlayer(figure, { ...asRecord(choices[at]?.pair), names }, { tools, isGuest: true }));
    if (isChosen) tools.children[at].focus({ preventScroll: true });
  };
  show(opened, false);
  figure.dataset.mounted = "true";
}

function readContinuationChoices(figure) {
  const { names, choices, opened } = asRecord(readJson(figure.dataset.continuations));
  const known = asList(choices, 20).map(asRecord);
  return { names, choices: known, opened: isWithin(opened, 0, known.length - 1) ? opened : 0 };
}

/** Draw what stands on paper: the boards at the ply at which the replay opens, with the caption, the scores and where they came from. */
function drawPicture(figure) {
  if (pictures.has(figure)) return;
  pictures.add(figure);
  const game = readScene(readJson(figure.dataset.replay));
  if (game.problem) return;
  const picture = createPicture(game, game.steps.findIndex((step) => step.ply === openedPly(figure)));
  figure.append(picture);
  if (figure.dataset.lesson) return; // the end of the game says what was played
  const ledger = createLedgerView(game);
  ledger.setReview(readReview(readJson(figure.dataset.review), game, "win"));
  picture.append(ledger.node);
}

/** Draw what stands on paper of a continuation: the position before the fork, and how it ends on both branches. */
function drawContinuationPictures(figure) {
  if (pictures.has(figure)) return;
  pictures.add(figure);
  const { names, choices, opened } = readContinuationChoices(figure);
  const { games, ply, problem } = readContinuations(choices[opened]?.pair);
  if (problem) return;
  const headings = asList(names, 2).map((name) => asText(name, 60));
  const isWide = games.some((game) => game.boards.some((board) => board.columns > MOST_PRINTED_BESIDE));
  const width = isWide ? PRINTED_WIDTH : PRINTED_WIDTH / 2;
  const ends = games.map((game, side) => createPicture(game, game.steps.length - 1, { heading: `${headings[side] ?? ""}: the end`, width }));
  figure.append(createPicture(games[0], ply - 1, { heading: "Before the fork", width }), ...(isWide ? ends : [html("div", { class: "picture-pair" }, ...ends)]));
}

/** Draw the boards after a step in a width in pixels, with its caption and the scores; step -1 is the start. */
function createPicture(game, at, { heading = "", width = PRINTED_WIDTH } = {}) {
  const root = html("div", { class: "replay picture", "data-theme": "light" });
  const position = createPosition(game);
  const touched = position.go(at);
  const views = game.boards.filter((board) => board.size).map((board) => createBoardView(game, board));
  const perRow = Math.max(1, Math.min(views.length, Math.floor(width / LEAST_PRINTED_BOARD)));
  for (const view of views) {
    view.show(position.squares, touched, game.steps[at] ?? null, false);
    view.resize(Math.max(PRINTED_SQUARES.least, Math.min(PRINTED_SQUARES.most, (width / perRow - 20) / view.across)));
  }
  const step = game.steps[at];
  const place = step ? `${describePlace(game, at)}: ${step.caption}` : "The start of the game.";
  const scores = step ? step.scores : game.startScores;
  const results = game.seats.map((seat, index) => `${playerName(index)}${seat.character ? ` (${seat.character})` : ""}: ${formatNumber(scores[index])}`);
  if (heading) root.append(html("h4", {}, heading));
  root.append(html("div", { class: "picture-boards" }, ...views.map((view) => html("figure", {}, view.node))), html("p", {}, place), html("p", {}, `Points after it: ${results.join(" \u00b7 ")}`));
  return root;
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      if (target.dataset.continuations) mountContinuations(target);
      else mountReplay(target);
    }
  },
  { rootMargin: "400px 0px" },
);
for (const figure of [...figures, ...watched]) observer.observe(figure);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const replay of replays.values()) replay.setTheme();
});
// A replay that fills the middle of the window takes the arrows before anybody has clicked it; then it has the focus.
document.addEventListener("keydown", (event) => {
  if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.target !== document.body) return;
  const root = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".replay");
  if (!root) return;
  event.preventDefault();
  root.focus({ preventScroll: true });
  root.dispatchEvent(new KeyboardEvent("keydown", event));
});
addEventListener("beforeprint", () => {
  figures.forEach(drawPicture);
  watched.forEach(drawContinuationPictures);
});
