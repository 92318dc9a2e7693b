/** A text for screen readers alone, such as the meaning of a column. */
export const Read = (props: { text: string }) => <span class="only-read">{props.text}</span>;
