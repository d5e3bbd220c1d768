/*
 * What the frame of a replay does when it has loaded: it hides the line before it, which stands for the replay where there are no frames
 * or scripts, and tells the replay about the page around it. On paper the line stands for it, too.
 */

import { readSurroundings, watchSurroundings } from "./surroundings.js";

const frame = event.currentTarget;
const line = frame.previousElementSibling;
const send = () => {
  const surroundings = readSurroundings(frame);
  if (surroundings) frame.contentWindow?.postMessage(surroundings, "*");
};
send(); // also when a notebook has moved the frame, which loads it anew
if (!line.hidden) watchSurroundings(frame, send);
line.hidden = true;
