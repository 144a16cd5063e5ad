// Swagger UI leaves these parts without a name for screen readers.
function nameParts() {
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  for (const [part, name] of [
    ['.information-container', 'About'],
    ['.schemes-server-container', 'Servers'],
  ]) {
    document.querySelector(part)?.setAttribute('role', 'region');
    document.querySelector(part)?.setAttribute('aria-label', name);
  }
}
window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  onComplete: nameParts,
});
