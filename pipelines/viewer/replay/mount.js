/*
 * Components of a Streamlit page, which calls `mount` again when the data or the theme changes.
 */

import { asRecord } from "./values.js";

/**
 * Return the function `mount` of a component that is drawn anew when its data change.
 * @param {(parent: Node, data: object, setTriggerValue: Function) => object} create returns the functions `setTheme` and
 *   `destroy`; if a view can have the focus, also `hasFocus` and `focus`
 */
export function createMount(create) {
  const mounted = new WeakMap();
  return ({ parentElement, data, setTriggerValue }) => {
    const text = JSON.stringify(data);
    const current = mounted.get(parentElement);
    if (current?.text === text) {
      current.view.setTheme();
    } else {
      const hadFocus = current?.view.hasFocus?.();
      current?.view.destroy();
      const view = create(parentElement, asRecord(data), setTriggerValue);
      if (hadFocus) view.focus?.();
      mounted.set(parentElement, { text, view });
    }
    return () => {
      mounted.get(parentElement)?.view.destroy();
      mounted.delete(parentElement);
    };
  };
}
