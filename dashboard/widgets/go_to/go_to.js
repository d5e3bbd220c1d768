/*
 * The key / presses the button *Go to*, except in fields, where it is a letter; Streamlit itself takes Ctrl+K. From then on until the box is
 * closed all keys are those of the box: a board behind it sleeps, and what is typed before the field is there gets into it.
 */
const FIELDS = "input, textarea, select, [contenteditable]";
const MOST_WAITED = 30000;
let isListening = false;
let typed = "";
let isTypedUntil = 0;
let field = null;

function pressButton() {
  const button = document.querySelector(".st-key-go-to button");
  button?.click();
  return Boolean(button);
}

function takeKey(event) {
  const { key, timeStamp } = event;
  const [target] = event.composedPath();
  const isCommand = event.ctrlKey || event.metaKey || event.altKey;
  if (target instanceof Element && target.closest(FIELDS)) return;
  const isWaiting = timeStamp < isTypedUntil;
  if (isWaiting || field?.isConnected) {
    if (key === "Escape") isTypedUntil = 0;
    const isPress = !isWaiting && [" ", "Enter"].includes(key) && target.closest?.("button");
    if (isCommand || isPress || ["Escape", "Tab"].includes(key)) return;
    event.stopPropagation();
    if (!isWaiting) return field.focus(); // the letter gets into it
    if (key === "Backspace") typed = typed.slice(0, -1);
    else if (key.length === 1) typed += key;
  } else if (isCommand ? key === "k" && !event.altKey : key === "/" && pressButton()) {
    typed = "";
    isTypedUntil = timeStamp + MOST_WAITED;
    if (isCommand) return;
  } else return;
  event.preventDefault();
}

function fillField({ detail }) {
  field = detail;
  field.value += typed;
  typed = "";
  isTypedUntil = 0;
}

export default function listen() {
  if (isListening) return undefined;
  isListening = true;
  addEventListener("keydown", takeKey, true); // before the board
  addEventListener("go-to-field", fillField);
  return undefined;
}
