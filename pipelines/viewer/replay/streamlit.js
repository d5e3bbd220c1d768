/*
 * The replay on a Streamlit page. `mount` is called again when the data or the theme changes. `question` is the query of the what-if
 * question of the address, once it may be asked.
 */

import { createFetchAsking } from "./ask.js";
import { createLearning } from "./learn.js";
import { createReplay } from "./replay.js";
import { asList, asRecord, asText } from "./values.js";
import { createAsking } from "./whatif.js";

const mounted = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  const { scene, follows, review, lesson, comments, isReviewed, play, standings, closeness, hasNext, takesCommands, plays, board, question, questionKeys } = asRecord(data);
  const lessonPly = asRecord(asRecord(lesson).decision).ply ?? null;
  const text = JSON.stringify([scene, lessonPly]);
  const current = mounted.get(parentElement);
  if (current && current.text === text) {
    current.replay.setTheme();
    if (current.follows !== follows) current.replay.followAddress();
    current.replay.setReview(review, isReviewed);
    current.replay.setComments(comments);
    current.follows = follows;
  } else {
    current?.replay.destroy();
    const ask = typeof board === "string" ? createFetchAsking(board, { run: scene.run, game: scene.game_id }) : null;
    const asking = ask && createAsking(ask);
    const command = takesCommands !== true ? null : (name) => mounted.get(parentElement)?.setTriggerValue("command", name);
    const options = { review, comments, isReviewed, lesson, nextLesson: asRecord(lesson).hasNext === true ? () => command("lesson") : null, play, standings, closeness, hasNext, asking, learning: ask && createLearning(ask), command, questionKeys: asList(questionKeys, 40), plays: plays === true, isNext: Boolean(current) };
    const replay = createReplay(parentElement, scene, options);
    mounted.set(parentElement, { text, follows, question: "", replay });
  }
  const shown = mounted.get(parentElement);
  shown.setTriggerValue = setTriggerValue; // that of an earlier drawing may belong to a part of the page that is gone
  const query = asText(question, 4000);
  if (query && shown.question !== query) shown.replay.showQuestion(query);
  shown.question = query;
  return () => {
    mounted.get(parentElement)?.replay.destroy();
    mounted.delete(parentElement);
  };
}
