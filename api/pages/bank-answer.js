// A bank's answer can stand behind the `#`, which browsers do not send. Without one there is nothing to do.
const answer = new URLSearchParams(location.hash.slice(1));
// The answer does not stay in the browser's history.
history.replaceState(null, '', location.pathname);
const form = document.querySelector('form');
for (const [name, value] of answer) {
  const field = document.createElement('input');
  Object.assign(field, { type: 'hidden', name, value });
  form.append(field);
}
if (answer.has('state')) form.submit();
else document.querySelector('main').replaceChildren(document.querySelector('template').content);
