using Poolhouse.Tool.Advise.Rules;
using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Advise;

/// <summary>What to pool in a process and what not, by a sample of it.</summary>
internal sealed record Advice(string Process, Sample Sample, IReadOnlyList<Finding> Findings, IReadOnlyList<Remark> Remarks)
{
    public static Advice On(string process, Sample sample) => new(
        process,
        sample,
        [
            .. ConnectionRules.Find(sample), .. AllocationRules.Find(sample), .. ThreadRules.Find(sample),
            .. PoolRules.Find(sample),
        ],
        [.. AllocationRules.Remarks(sample), .. ConnectionRules.Remarks(sample), .. PoolRules.Remarks(sample)]);

    public string Headline => Findings.Count switch
    {
        0 => "Nothing found that is worth pooling.",
        1 => "1 thing is worth pooling.",
        var count => $"{Units.Count(count)} things are worth pooling.",
    };

    /// <summary>What the process did, in a line.</summary>
    public string Summary
    {
        get
        {
            var connections = Sample.Peers.Sum(peer => peer.Connections.Count) + Sample.Http.Sum(host => host.Connections.Count);
            var parts = new List<string>
            {
                $"{Units.Digits(Sample.Time.TotalSeconds)} s", $"{Units.Digits(Sample.Cores)} processors used",
                $"{Units.Bytes(Sample.Allocated)} allocated a second",
                $"collections of gen 0, 1, 2: {string.Join(", ", Sample.Collections.Select(count => Units.Count(count)))}",
                $"{Units.Digits(Sample.Paused * 100)} % of the time in their pauses",
                $"{Units.Digits(Sample.PerSecond(connections))} connections opened a second",
            };
            return string.Join("; ", parts) + ".";
        }
    }
}
