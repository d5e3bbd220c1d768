/*
 * The replay on a Streamlit page. `mount` is called again when the data or the theme changes. With `pair` the data hold two
 * continuations, which are shown side by side; otherwise they hold the scene of a game.
 */

import { createPairPlayer } from "./pair_player.js";
import { createReplay } from "./replay.js";
import { asRecord } from "./values.js";

const mounted = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  const { scene, pair, ply, height, review, isReviewed, whatif, play, standings, closeness, hasNext, panel } = asRecord(data);
  const text = JSON.stringify([scene, pair]);
  const current = mounted.get(parentElement);
  if (current && current.text === text) {
    current.replay.setTheme();
    if (current.ply !== ply && Number.isInteger(ply)) current.replay.goToPly(ply);
    current.replay.setReview(review, isReviewed);
    current.ply = ply;
  } else {
    current?.replay.destroy();
    const send = panel ? (request) => setTriggerValue("request", request) : null;
    const options = { ply, height, review, isReviewed, whatif, play, standings, closeness, hasNext, send, isNext: Boolean(current) };
    const replay = pair ? createPairPlayer(parentElement, pair) : createReplay(parentElement, scene, options);
    mounted.set(parentElement, { text, ply, replay });
  }
  mounted.get(parentElement).replay.receive(asRecord(panel).response);
  return () => {
    mounted.get(parentElement)?.replay.destroy();
    mounted.delete(parentElement);
  };
}
