/*
 * Keys: their names, and the commands of the replay.
 */

/** Return the name of a key, letters in lower case. */
export const keyName = ({ key }) => (key.length === 1 ? key.toLowerCase() : key);

/**
 * Return the command of a key, or null if the key has none.
 * @param {KeyboardEvent} event
 * @param {object} commands
 */
export function commandOfKey(event, commands) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const [back, on] = event.shiftKey ? [commands.turnBack, commands.turnOn] : [commands.previous, commands.next];
  const [mistake, roll] = event.shiftKey ? [commands.mistakeBack, commands.rollBack] : [commands.mistakeOn, commands.rollOn];
  const keys = {
    ArrowLeft: back,
    ArrowRight: on,
    Home: commands.first,
    End: commands.last,
    PageUp: commands.roundBack,
    PageDown: commands.roundOn,
    " ": commands.toggle,
    ">": commands.faster,
    ".": commands.faster,
    "<": commands.slower,
    ",": commands.slower,
    "+": commands.larger,
    "=": commands.larger,
    "-": commands.smaller,
    "\u2212": commands.smaller,
    f: commands.turn,
    l: commands.copy,
    m: mistake,
    n: roll,
    g: commands.ghost,
    w: commands.whatif,
    b: commands.playOn,
    "?": commands.help,
  };
  const key = keyName(event);
  if (Object.hasOwn(keys, key)) return keys[key];
  // With Shift the digit is the name of another key, whose place tells it.
  const number = Number(event.shiftKey ? event.code?.match(/^Digit([1-9])$/)?.[1] : /^[1-9]$/.test(event.key) && event.key) - 1;
  if (!(number >= 0)) return null;
  if (!event.shiftKey && commands.hasMove?.(number)) return () => commands.chooseMove(number);
  return commands.seat ? () => commands.seat(number) : null;
}
