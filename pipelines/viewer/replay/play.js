/*
 * A game by hand on a Streamlit page. `mount` is called again when the data or the theme changes.
 */

import { createPlay } from "./play_board.js";
import { LIMITS } from "./scene.js";
import { asList, asRecord, asText } from "./values.js";

const mounted = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  const given = asRecord(data);
  const { response, ...shown } = given;
  const text = JSON.stringify(shown);
  let current = mounted.get(parentElement);
  if (!current) {
    current = { text: "", game: createPlay(parentElement, (request) => current.setTriggerValue("request", request)) };
    mounted.set(parentElement, current);
    current.game.takeFocus(); // what began the game is gone
  }
  current.setTriggerValue = setTriggerValue;
  if (current.text === text) current.game.setTheme();
  else current.game.show(readDocument(shown), current.game.isAnswer(response));
  current.text = text;
  current.game.receive(response);
  return () => {
    mounted.get(parentElement)?.game.destroy();
    mounted.delete(parentElement);
  };
}

const readDocument = (raw) => ({
  ...raw,
  moves: asText(raw.moves, 40000),
  people: asList(raw.people, LIMITS.seats),
  advisers: asList(raw.strategies, 40).map(asRecord).map(({ name, title }) => ({ name: asText(name, 60), about: asText(title, 200) })),
});
