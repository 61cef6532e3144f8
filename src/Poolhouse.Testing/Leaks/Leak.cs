using System.Diagnostics;
using System.Globalization;
using Poolhouse.Testing.Leaks;

namespace Poolhouse.Testing;

/// <summary>An item that was rented and not returned, or a pool that was created and not disposed.</summary>
/// <remarks>Immutable. It does not refer to the item or the pool.</remarks>
public sealed class Leak
{
    private const int MostFrames = 8;

    internal Leak(LeakKind kind, string poolName, TimeSpan age, StackTrace? site)
    {
        Kind = kind;
        PoolName = poolName;
        Age = age;
        Site = site;
    }

    /// <summary>What was not returned or disposed.</summary>
    public LeakKind Kind { get; }

    /// <summary>The name of the pool; for an array of .NET, which names no pool, the length of the array.</summary>
    public string PoolName { get; }

    /// <summary>How long ago it was rented or created, by the pool's clock.</summary>
    public TimeSpan Age { get; }

    /// <summary>Where it was rented or created.</summary>
    /// <value>
    /// <c>null</c> if the stack was not recorded: a cache records those of its first 1,000 rents, and then at most one
    /// in 10 milliseconds.
    /// </value>
    public StackTrace? Site { get; }

    /// <summary>One line about what leaked, followed by the first frames of <see cref="Site"/>.</summary>
    /// <returns>Several lines. The format may change.</returns>
    public override string ToString()
    {
        var what = Kind switch
        {
            LeakKind.Pool => $"Pool '{PoolName}' was not disposed; it was created",
            LeakKind.Item => $"Pool '{PoolName}': an item was not returned; it was rented",
            _ => $"{PoolName}: an item was not returned; it was rented",
        };
        var frames = Site is null
            ? ""
            : $" at{Environment.NewLine}{new StackTrace(Site.GetFrames().Take(MostFrames)).ToString().TrimEnd()}";
        return string.Create(CultureInfo.InvariantCulture, $"{what} {Age.TotalSeconds:0.###} s ago{frames}");
    }

    internal static IReadOnlyList<Leak> Find(RentScope scope) =>
    [
        .. scope.Rents
            .Select(static rent => new Leak(LeakKind.Item, rent.PoolName, rent.Age, rent.Site))
            .OrderByDescending(static leak => leak.Age),
        .. SharedArrays.Find(scope),
    ];
}
