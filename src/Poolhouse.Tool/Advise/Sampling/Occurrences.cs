namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Events of one kind: how many, and in how many of the equal parts of the time there was one.</summary>
internal sealed record Occurrences(int Count, int Parts)
{
    /// <summary>Into how many parts the time is divided.</summary>
    public const int AllParts = 10;

    public static Occurrences None { get; } = new(0, 0);

    /// <summary>Whether they go on, other than what an app does once when it starts or reconnects.</summary>
    public bool GoOn => Parts >= AllParts / 2;

    /// <summary>The same, seen for a part of the time only.</summary>
    public Occurrences Times(double factor) => this with { Count = (int)Math.Round(Count * factor) };
}
