/*
 * The key / presses the button *Go to*, except in fields, where it is a letter. Streamlit itself takes Ctrl+K.
 */
const FIELDS = "input, textarea, select, [contenteditable]";
let isListening = false;

function pressButton(event) {
  const [target] = event.composedPath();
  const isTyped = target instanceof Element && target.closest(FIELDS);
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyped) return;
  const button = document.querySelector(".st-key-go-to button");
  if (!button) return;
  event.preventDefault();
  button.click();
}

export default function listen() {
  if (!isListening) addEventListener("keydown", pressButton);
  isListening = true;
  return undefined;
}
