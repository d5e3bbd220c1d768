/*
 * The frame of a replay: its title with the buttons of the view, and the room that its parts get.
 */

import { createButton, html } from "./draw.js";
import { createIcon } from "./icons.js";

const ASIDE = { height: 960, above: 240, spare: 20, reviewed: 68, yields: 24 }; // pixels: of a low window, above the replay, of a course above its least height without a review and with one, that boards give to a course below them
const GAP = 14; // pixels between the parts below each other
const NARROW = 1000; // pixels: many boards may need two columns that are not wider
export const PAIR_FRAME = 240; // pixels of the headings and the chart around the boards of a pair

/** Create the head of a replay: the title of the game. */
export function createTitle(game, commands, heading) {
  const players = `${game.seats.length} player${game.seats.length === 1 ? "" : "s"}`;
  const facts = [game.ruleset && players, game.run && `run ${game.run}`, game.gameId === null ? "" : `game ${game.gameId + 1}`].filter(Boolean);
  const button = (glyph, label, key, command) => createButton({ "aria-label": label, title: `${label} (${key})` }, command, glyph);
  const view = html(
    "div",
    { class: "view", role: "group", "aria-label": "View" },
    button(createIcon("turn"), "Turn the board", "F", commands.turn),
    button("\u2212", "Smaller", "\u2212", commands.smaller),
    button("+", "Larger", "+", commands.larger),
  );
  return html("header", { class: "title" }, html(heading, {}, game.title || game.name || "Game"), html("p", {}, facts.join(" \u00b7 ")), view);
}

/**
 * Lay out the boards in a height; return what they leave of it. They give some pixels if a course then fits below them, because the
 * list of moves gets its room beside them.
 * @param {(height: number) => number} layoutBoards returns the height that the boards take
 */
function shareHeight(room, courseHeight, layoutBoards) {
  const left = room - layoutBoards(room);
  const isNearlyEnough = left < courseHeight && courseHeight - left <= ASIDE.yields;
  return isNearlyEnough ? room - layoutBoards(room - courseHeight) : left;
}

/**
 * Lay out the replay whenever the available room changes; return the function that does so. `mostAbove` pixels above it are
 * left free on the page; for more, people scroll. In two columns of low windows `putAside` moves the course beside the boards,
 * where it takes no height from them; `putBelow` moves it below them again where narrow boards leave the height for it.
 */
export function watchLayout(root, { main, moment, stage, course, height, zoom, pair, putAside, putBelow, mostAbove = 72 }, signal) {
  let known = "";
  let frame = "";
  function layout() {
    const newFrame = `${root.clientWidth} ${innerHeight} ${zoom()}`;
    if (newFrame !== frame) root.toggleAttribute("data-alone", false);
    frame = newFrame;
    // The style sheet says which widths have two columns, and which are those of phones.
    const isPhone = getComputedStyle(main).display === "contents";
    const isBeside = !isPhone && main.offsetWidth < main.parentNode.offsetWidth;
    const isAside = Boolean(putAside) && isBeside && (height || innerHeight) <= ASIDE.height;
    putAside?.(isAside, isPhone);
    const shown = pair();
    const node = shown?.node ?? stage.node;
    const width = node.clientWidth;
    if (!width) return;
    moment.resize(width, isPhone);
    // If other things stand above the replay, people scroll once and then see all of it; if the course is aside, all of it fits.
    const top = Math.max(0, Math.min(isAside ? Math.max(ASIDE.above, mostAbove) : mostAbove, root.getBoundingClientRect().top + scrollY));
    const whole = height ? height : Math.max(480, innerHeight - top);
    // The parts above and below the boards keep their sizes, so the boards get the rest.
    // Where nothing stands beside the boards, people scroll to the course. The board of a game that is played has none.
    const isAfter = Boolean(course.node) && !isPhone && !isBeside;
    const courseHeight = isAside || isAfter ? course.node.offsetHeight - course.spare + GAP : 0;
    const belowHeight = course.node?.parentNode === main ? courseHeight : 0;
    const rest = main.offsetTop + main.offsetHeight - node.offsetHeight - belowHeight - (isAside && !belowHeight ? 0 : course.spare);
    const room = isPhone ? 0.66 * innerHeight : Math.max(250, whole - rest - 16);
    root.style.setProperty("--side", `${whole - main.offsetTop - 16}px`);
    const spare = course.isReviewed && !("asking" in root.dataset) ? ASIDE.reviewed : ASIDE.spare;
    const now = `${root.clientWidth} ${width} ${innerHeight} ${Math.round(rest / 8)} ${zoom()} ${stage.turns} ${Boolean(shown)} ${isAside} ${spare}`;
    if (now === known) return;
    known = now;
    if (shown) {
      shown.layout({ width, height: room - PAIR_FRAME, isPhone, zoom: zoom() });
      return;
    }
    const left = shareHeight(room, courseHeight, (high) => {
      stage.layout({ width, height: high, isPhone, zoom: zoom() });
      return stage.node.offsetHeight;
    });
    if (isBeside && left < -ASIDE.yields && main.parentNode.offsetWidth < NARROW) {
      root.toggleAttribute("data-alone", true);
      return layout();
    }
    if (isAside) putBelow(left >= courseHeight);
    course.resize(isPhone ? 0 : isAside && left < courseHeight ? spare : Math.max(0, left - courseHeight));
  }
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  observer.observe(root);
  addEventListener("resize", layout, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  return layout;
}
