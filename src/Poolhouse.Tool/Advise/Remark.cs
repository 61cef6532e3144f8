namespace Poolhouse.Tool.Advise;

/// <summary>Something that is not worth pooling, and why.</summary>
internal sealed record Remark(string Subject, string Reason);
