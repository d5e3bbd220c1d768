/*
 * The player: steps by itself, at a speed.
 */

const PACE = 1000; // milliseconds a ply takes at normal speed

/** Plays by itself until `canGoOn` is false. */
function playerOf(canGoOn, on, show) {
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0;
  let due = 0;
  const player = {
    speed: 1,
    get isPlaying() {
      return timer !== 0;
    },
    /** Whether there is time, and leave, to animate a step. */
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
      due = performance.now() + PACE / player.speed / 2;
      tick();
      show(true);
    },
    setSpeed(value) {
      player.speed = SPEEDS.includes(value) ? value : 1;
      if (timer) {
        clearTimeout(timer);
        due = performance.now() + PACE / player.speed;
        tick();
      }
    },
  };
  function tick() {
    timer = setTimeout(() => {
      on();
      if (!canGoOn()) return player.pause();
      due = Math.max(due + PACE / player.speed, performance.now());
      tick();
    }, due - performance.now());
  }
  return player;
}
