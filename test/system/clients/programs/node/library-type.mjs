function readOrder(text) {
  return JSON.parse(text);
}

readOrder('{"customer": "bo", "items": [1, 2');
