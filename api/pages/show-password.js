// Adds a button that shows what is typed as a password. Without this script there is no such button.
const fields = [...document.querySelectorAll('input[type=password]')];
const button = document.createElement('button');
button.type = 'button';
button.className = 'show';
button.textContent = fields.length > 1 ? 'Show passwords' : 'Show password';
button.setAttribute('aria-controls', fields.map(({ id }) => id).join(' '));

function show(isShown) {
  button.setAttribute('aria-pressed', String(isShown));
  for (const field of fields) field.type = isShown ? 'text' : 'password';
}

show(false);
button.addEventListener('click', () => show(button.getAttribute('aria-pressed') === 'false'));
// Browsers remember the texts of fields, but not passwords.
fields[0].form.addEventListener('submit', () => show(false));
fields.at(-1).after(button);
