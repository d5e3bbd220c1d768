/*
 * The icons of buttons.
 */

import { svg } from "./draw.js";

const ICONS = {
  first: "M6 5v14M19 5.5v13L9 12z",
  previous: "M16 5.5v13L7 12z",
  play: "M8 5v14l11-7z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  next: "M8 5.5v13l9-6.5z",
  last: "M18 5v14M5 5.5v13L15 12z",
  fork: "M12 21v-7M12 14L5.5 4.5M12 14l6.5-9.5",
  chair: "M7 3.5v9h9.5v7.5M7 12.5v7.5M7 16.5h9.5",
  turn: "M19.5 12a7.5 7.5 0 1 1-2.4-5.5M19.8 3.2v4.6h-4.6",
};

export const createIcon = (name) => svg("svg", { class: `icon ${name}`, viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
