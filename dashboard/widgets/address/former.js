/*
 * Leads from an address of a former version to that of today, without an entry in the history of the browser.
 */
export default ({ data }) => location.replace(data.path);
