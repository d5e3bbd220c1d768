/*
 * The player: goes on by itself, ply by ply.
 */

import { hasThrows, isPreparation } from "./moves.js";
import { START } from "./scene.js";

export const SPEEDS = [0.5, 1, 2, 4, 8];
const PLY_MILLISECONDS = 1000; // at normal speed

/** Return how long a ply stays, as a multiple of the normal time: throws pass quickly, and what scores stays longer. */
export function plyPace(game, at) {
  const step = game.steps[at];
  if (!step || !hasThrows(game)) return 1;
  if (isPreparation(step)) return 0.45;
  return step.glow.length ? 1.8 : 1;
}

/**
 * Return the commands that step through a track and play it.
 * @param {() => {at: number, last: number, rounds: number[], turnEnds: number[]}} track the place, and places to go to
 * @param {Function} go goes to the nearest place that the track has
 */
export function trackCommands(track, go) {
  const back = (name) => go(track()[name].findLast((at) => at < track().at) ?? START);
  const on = (name) => go(track()[name].find((at) => at > track().at) ?? track().last);
  return {
    go,
    first: () => go(START),
    previous: () => go(track().at - 1),
    next: () => go(track().at + 1),
    last: () => go(track().last),
    roundBack: () => back("rounds"),
    roundOn: () => on("rounds"),
    turnBack: () => back("turnEnds"),
    turnOn: () => on("turnEnds"),
  };
}

/** Return the commands of the speed; `setSpeed` sets it. */
export const speedCommands = (player, setSpeed) => ({
  speed: setSpeed,
  faster: () => setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(player.speed) + 1)]),
  slower: () => setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(player.speed) - 1)]),
});

/**
 * Create a player that calls `on` for every ply until `canGoOn` returns false, and `show` when it starts or stops.
 * `pace()` is how long the current ply stays, as a multiple of the normal time.
 */
export function createPlayer(canGoOn, on, show, pace = () => 1) {
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0;
  let due = 0;
  const player = {
    speed: 1,
    get isPlaying() {
      return timer !== 0;
    },
    /** True if steps may be animated: motion is not reduced, and the speed leaves time for it. */
    get isCalm() {
      return !stillness.matches && (timer === 0 || player.speed <= 2);
    },
    pause() {
      if (!timer) return;
      clearTimeout(timer);
      timer = 0;
      show(false);
    },
    toggle() {
      if (timer) return player.pause();
      if (!canGoOn()) return;
      due = performance.now() + PLY_MILLISECONDS / player.speed / 2;
      tick();
      show(true);
    },
    setSpeed(value) {
      player.speed = SPEEDS.includes(value) ? value : 1;
      if (timer) {
        clearTimeout(timer);
        due = performance.now() + PLY_MILLISECONDS / player.speed;
        tick();
      }
    },
  };
  function tick() {
    timer = setTimeout(() => {
      on();
      if (!canGoOn()) return player.pause();
      due = Math.max(due + (pace() * PLY_MILLISECONDS) / player.speed, performance.now());
      tick();
    }, due - performance.now());
  }
  return player;
}
