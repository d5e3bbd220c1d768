/*
 * The replay on a Streamlit page. `mount` is called again when the data or the theme changes. On a page of what-if questions
 * (`isGuest`) the panel is open and shows the answer to the question of the page, if there is one.
 */

import { watchLeaving } from "./leaving.js";
import { createReplay } from "./replay.js";
import { asRecord } from "./values.js";
import { createAsking } from "./whatif.js";

const mounted = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  const { scene, ply, review, comments, isReviewed, whatif, play, standings, closeness, hasNext, panel, isGuest } = asRecord(data);
  const text = JSON.stringify(scene);
  const current = mounted.get(parentElement);
  if (current && current.text === text) {
    current.replay.setTheme();
    if (current.ply !== ply && Number.isInteger(ply)) current.replay.goToPly(ply);
    current.replay.setReview(review, isReviewed);
    current.replay.setComments(comments);
    current.ply = ply;
  } else {
    current?.replay.destroy();
    current?.leaving.destroy();
    const leaving = watchLeaving(parentElement);
    const asking = panel ? createAsking((request) => leaving.isLeaving() || mounted.get(parentElement)?.setTriggerValue("request", request)) : null;
    const options = { ply, review, comments, isReviewed, whatif, play, standings, closeness, hasNext, asking, isGuest, isQuestion: isGuest, resumes: asRecord(panel).resumes === true, isNext: Boolean(current) };
    mounted.set(parentElement, { text, ply, asked: null, leaving, setTriggerValue, replay: createReplay(parentElement, scene, options) });
  }
  const shown = mounted.get(parentElement);
  shown.setTriggerValue = setTriggerValue; // that of an earlier drawing may belong to a part of the page that is gone
  shown.replay.receive(asRecord(panel).response);
  const asked = JSON.stringify(asRecord(panel).question ?? null);
  if (isGuest && shown.asked !== asked) shown.replay.showQuestion(asRecord(panel).question, asRecord(panel).look);
  shown.asked = asked;
  return () => {
    mounted.get(parentElement)?.replay.destroy();
    mounted.get(parentElement)?.leaving.destroy();
    mounted.delete(parentElement);
  };
}
