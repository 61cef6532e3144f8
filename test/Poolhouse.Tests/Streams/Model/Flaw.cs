namespace Poolhouse.Tests.Streams.Model;

/// <summary>What is wrong with the arguments of a call.</summary>
public enum Flaw
{
    None,
    Missing,
    NegativeOffset,
    NegativeCount,
    BeyondTheBuffer,
    Overflow,
}
