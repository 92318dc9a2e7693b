/** A bounded number of answers by their keys. */

/** Keeps the last answers; a new one takes the place of the one that was read first. */
export function createCache<Answer>(max: number) {
  const answers = new Map<string, Answer>();
  return {
    get(key: string): Answer | undefined {
      const answer = answers.get(key);
      if (answer !== undefined) {
        answers.delete(key);
        answers.set(key, answer);
      }
      return answer;
    },
    set(key: string, answer: Answer) {
      answers.delete(key);
      answers.set(key, answer);
      const oldest = answers.keys().next();
      if (answers.size > max && !oldest.done) answers.delete(oldest.value);
    },
    delete: (key: string) => answers.delete(key),
  };
}
