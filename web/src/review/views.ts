/** The part of the review that is loaded on demand, as one file. */
export { JudgementLine } from "./JudgementLine";
export { ReviewPanel } from "./ReviewPanel";
export { createReview } from "./store";
