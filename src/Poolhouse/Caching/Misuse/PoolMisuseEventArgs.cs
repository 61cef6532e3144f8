using System.Diagnostics;
using System.Globalization;

namespace Poolhouse;

/// <summary>A misuse of an item that a cache in paranoid mode detected.</summary>
/// <remarks>
/// Immutable. It does not refer to the item. Stacks are recorded for the first 1,000 rents of a pool, and then for at most one
/// rent in 10 milliseconds. Times are precise to a few milliseconds.
/// </remarks>
public sealed class PoolMisuseEventArgs : EventArgs
{
    private const int MostFrames = 10;

    internal PoolMisuseEventArgs(
        string poolName, PoolMisuseKind kind, in LeaseSite rented, in LeaseSite returned, PoolClock clock)
    {
        PoolName = poolName;
        Kind = kind;
        RentedAt = rented.Frames;
        ReturnedAt = returned.Frames;
        SinceRent = rented.Elapsed(clock);
        SinceReturn = returned.Elapsed(clock);
        DetectedAt = CallerFrames.Of(new StackTrace(fNeedFileInfo: true));
    }

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>What was detected.</summary>
    public PoolMisuseKind Kind { get; }

    /// <summary>Where the item was rented last.</summary>
    /// <value><c>null</c> if the rent was not sampled or its stack was not recorded.</value>
    public StackTrace? RentedAt { get; }

    /// <summary>Where the item was returned last, before the misuse.</summary>
    /// <value><c>null</c> if it was not returned before, or if the stack was not recorded.</value>
    public StackTrace? ReturnedAt { get; }

    /// <summary>
    /// Where the misuse was detected: the second return, the foreign return, or the rent that found the item changed.
    /// </summary>
    public StackTrace DetectedAt { get; }

    /// <summary>How long ago the item was rented last.</summary>
    /// <value><c>null</c> if the rent was not sampled.</value>
    public TimeSpan? SinceRent { get; }

    /// <summary>How long ago the item was returned last, before the misuse.</summary>
    /// <value><c>null</c> if it was not returned before, or not sampled.</value>
    public TimeSpan? SinceReturn { get; }

    /// <summary>One sentence with the pool, what happened, and where.</summary>
    internal string Message =>
        $"Pool '{PoolName}': {What}{Describe("rented", SinceRent, RentedAt)}{Describe("returned", SinceReturn, ReturnedAt)}. " +
        "Return each item once, to its own pool, and do not use it afterwards.";

    private string What => Kind switch
    {
        PoolMisuseKind.DoubleReturn => "an item was returned that had been returned already",
        PoolMisuseKind.ForeignReturn => "an item was returned that the pool did not rent out",
        _ => "an item was changed after it had been returned",
    };

    /// <summary>The message, and the first frames of the stacks.</summary>
    /// <returns>Several lines. The format may change.</returns>
    public override string ToString() =>
        Message + Section("Rented", RentedAt) + Section("Returned", ReturnedAt) + Section("Detected", DetectedAt);

    private static string Describe(string verb, TimeSpan? since, StackTrace? stack) => since is not { } time
        ? ""
        : string.Create(
            CultureInfo.InvariantCulture,
            $"; {verb} {time.TotalSeconds:0.###} s " +
            $"ago{(stack is not null && CallerFrames.NameOfFirst(stack) is { } name ? " in " + name : "")}");

    private static string Section(string what, StackTrace? stack) => stack is null
        ? ""
        : string.Join(
            System.Environment.NewLine, new StackTrace(stack.GetFrames().Take(MostFrames)).ToString()
                .Split(System.Environment.NewLine).Prepend($"{System.Environment.NewLine}{what}:"))
            .TrimEnd();
}
