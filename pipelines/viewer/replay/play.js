/*
 * A game by hand on a Streamlit page. `mount` is called again when the data or the theme changes.
 */

import { createFetchAsking } from "./ask.js";
import { createMount } from "./mount.js";
import { createPlay } from "./play_board.js";
import { asRecord, asText } from "./values.js";

export default createMount((parent, { board, again }) => {
  const setup = Object.fromEntries(Object.entries(asRecord(again)).map(([name, value]) => [name, asText(value, 1000)]));
  const game = createPlay(parent, createFetchAsking(asText(board, 1000)), setup);
  game.takeFocus(); // what began the game is gone
  return game;
});
