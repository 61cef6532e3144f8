using System.Diagnostics;

namespace Poolhouse.Tool.Ldap;

/// <summary>Which directory the trials of a run ask.</summary>
/// <param name="user">The user's; null: one in this process, anew for each trial.</param>
internal sealed class LdapSource(LdapTarget? user)
{
    private const int Samples = 100;
    private double? _price;

    public LdapTarget? User => user;

    /// <summary>What it is, without an address.</summary>
    public string Name => user is null ? "an LDAP server in this process" : "the LDAP server of --server";

    public LdapDirectory Open() => user is null ? InProcessDirectory.Start() : new UsersDirectory(user);

    /// <summary>The median time of connect, bind, search and close, in seconds; measured once, while nobody else asks.</summary>
    public double PriceOfAConnection(LdapTarget target, CancellationToken cancellation) => _price ??= Measure(target, cancellation);

    private static double Measure(LdapTarget target, CancellationToken cancellation)
    {
        var times = new List<double>();
        while (times.Count < Samples)
        {
            cancellation.ThrowIfCancellationRequested();
            var start = Stopwatch.GetTimestamp();
            using (var connection = target.Connect())
            {
                connection.SendRequest(target.Search());
            }

            times.Add(Stopwatch.GetElapsedTime(start).TotalSeconds);
        }

        times.Sort();
        return times[Samples / 2];
    }
}
