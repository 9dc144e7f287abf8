import { type LayoutAnswer, type LayoutQuestion, layOut } from './lay-out.ts';

// what the library for pages says of workers is that of windows
const scope = globalThis as unknown as {
  onmessage: (event: { data: LayoutQuestion }) => void;
  postMessage: (answer: LayoutAnswer) => void;
};

scope.onmessage = ({ data }) => {
  try {
    scope.postMessage({ layout: layOut(data) });
  } catch (error) {
    scope.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
};
