/*
 * The replay on a Streamlit page. `mount` is called again when the data or the theme changes. On a page of what-if questions
 * (`isGuest`) the panel is open and shows the answer to the question of the page, if there is one.
 */

import { createFetchAsking } from "./ask.js";
import { createReplay } from "./replay.js";
import { asRecord, asText } from "./values.js";
import { createAsking } from "./whatif.js";

const mounted = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  const { scene, ply, review, comments, isReviewed, whatif, play, standings, closeness, hasNext, takesCommands, plays, board, question, resumes, isGuest } = asRecord(data);
  const text = JSON.stringify(scene);
  const current = mounted.get(parentElement);
  if (current && current.text === text) {
    current.replay.setTheme();
    if (current.ply !== ply && Number.isInteger(ply)) current.replay.goToPly(ply);
    current.replay.setReview(review, isReviewed);
    current.replay.setComments(comments);
    current.ply = ply;
  } else {
    current?.destroy();
    const ask = typeof board === "string" ? createFetchAsking(board, { run: scene.run, game: scene.game_id }) : null;
    const asking = ask && createAsking(ask);
    const command = takesCommands !== true ? null : (name) => mounted.get(parentElement)?.setTriggerValue("command", name);
    const options = { ply, review, comments, isReviewed, whatif, play, standings, closeness, hasNext, asking, ask: isGuest ? null : ask, command, plays: plays === true, isGuest, isQuestion: isGuest, resumes: resumes === true, isNext: Boolean(current) };
    const replay = createReplay(parentElement, scene, options);
    const listeners = new AbortController();
    const page = location.pathname;
    if (isGuest) addEventListener("popstate", () => location.pathname === page && replay.showQuestion(location.search.slice(1)), { signal: listeners.signal });
    const destroy = () => {
      listeners.abort();
      replay.destroy();
    };
    mounted.set(parentElement, { text, ply, question: null, replay, destroy });
  }
  const shown = mounted.get(parentElement);
  shown.setTriggerValue = setTriggerValue; // that of an earlier drawing may belong to a part of the page that is gone
  const query = asText(question, 4000);
  if (isGuest && shown.question !== query) shown.replay.showQuestion(query);
  shown.question = query;
  return () => {
    mounted.get(parentElement)?.destroy();
    mounted.delete(parentElement);
  };
}
