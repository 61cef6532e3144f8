namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>The sessions of a role at one moment, as the server lists them.</summary>
/// <param name="At">Seconds.</param>
/// <param name="Total">All sessions of the role.</param>
/// <param name="Members">The sessions of the pool of each process.</param>
internal sealed record FleetSample(double At, int Total, IReadOnlyDictionary<string, int> Members)
{
    public int SumOf(IEnumerable<string> members) => members.Sum(HeldBy);

    public int HeldBy(string member) => Members.GetValueOrDefault(member);
}
