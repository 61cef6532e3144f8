namespace Poolhouse.Tool.Bench;

/// <summary>An experiment's answer in a line.</summary>
internal sealed record Verdict(Outcome Outcome, string Text)
{
    /// <summary>For a study that did not end: the answer to a part of its question would be an answer to another one.</summary>
    /// <param name="failure">Why it did not end; null: the user has stopped it.</param>
    public static Verdict Incomplete(string? failure = null) =>
        new(Outcome.Unknown, failure is null ? "Not measured to the end." : $"Not measured to the end: {failure}");
}
