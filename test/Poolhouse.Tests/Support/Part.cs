namespace Poolhouse.Tests;

/// <summary>An item of the tests of resource pools. Whoever asks it for a text gets an exception: pools never do (I27).</summary>
internal sealed class Part(int number)
{
    public int Number { get; } = number;

    /// <summary>What the last user left behind.</summary>
    public string? Session { get; set; }

    public bool IsBroken { get; set; }

    public override string ToString() => throw new InvalidOperationException("Somebody called ToString on an item.");
}
