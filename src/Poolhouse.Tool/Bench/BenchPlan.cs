using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Ldap;

namespace Poolhouse.Tool.Bench;

/// <summary>The part of the request that the experiments need.</summary>
/// <param name="Quick">Fewer cells.</param>
/// <param name="Threads">Thread counts, ascending.</param>
/// <param name="Many">The thread count of experiments that compare one thread with many.</param>
/// <param name="Input">The folder that <c>files</c> reads; <c>null</c>: the SDK's own documentation.</param>
internal sealed record BenchPlan(bool Quick, IReadOnlyList<int> Threads, int Many, string? Input)
{
    private const int MostThreadsUnasked = 32;

    /// <summary>The databases that the database studies query.</summary>
    public DatabaseSet Databases { get; init; } = new();

    /// <summary>The directory that the LDAP studies query.</summary>
    public LdapSource Ldap { get; init; } = new(user: null);

    /// <summary>The PDF file that <c>streams</c> takes pages from; <c>null</c>: a generated one.</summary>
    public string? Pdf { get; init; }

    public int Few => Threads[0];

    public IReadOnlyList<int> FewAndMany => Few == Many ? [Few] : [Few, Many];

    public static BenchPlan Create(bool quick, IReadOnlyList<int>? threads, string? input)
    {
        if (threads is not null)
        {
            return new BenchPlan(quick, threads, threads[^1], input);
        }

        // Twice the cores show how waiting for a core affects a pool; the article on ObjectPool internals went up to 32.
        var many = 2 * Environment.ProcessorCount;
        var most = quick ? Math.Min(many, MostThreadsUnasked) : MostThreadsUnasked;
        List<int> counts = [];
        for (var count = 1; count <= most; count *= 2)
        {
            counts.Add(count);
        }

        return new BenchPlan(quick, counts, Math.Min(many, counts[^1]), input);
    }
}
