using System.Diagnostics;
using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>The directory that the trials of a run query.</summary>
/// <param name="user">The user's; null: one in this process, anew for each trial.</param>
internal sealed class LdapSource(LdapTarget? user)
{
    private const int Samples = 100;
    private const int MayBeLost = 3;
    private const int ServerDown = 81;
    private double? _price;

    public LdapTarget? User => user;

    /// <summary>What it is, without an address.</summary>
    public string Name => user is null ? "an LDAP server in this process" : "the LDAP server of --server";

    public LdapDirectory Open() => user is null ? InProcessDirectory.Start() : new UsersDirectory(user);

    /// <summary>The median time of connect, bind, search and close, in seconds; measured once, without other callers.</summary>
    public double PriceOfAConnection(LdapTarget target, CancellationToken cancellation) =>
        _price ??= Measure(target, cancellation);

    private static double Measure(LdapTarget target, CancellationToken cancellation)
    {
        var times = new List<double>();
        var lost = 0;
        while (times.Count < Samples)
        {
            cancellation.ThrowIfCancellationRequested();
            var start = Stopwatch.GetTimestamp();
            try
            {
                using var connection = target.Connect();
                connection.SendRequest(target.Search());
            }
            catch (LdapException failure) when (failure.ErrorCode == ServerDown && ++lost <= MayBeLost)
            {
                // A few connections may be lost, on a busy machine or on the way to a distant server, and do not count.
                continue;
            }

            times.Add(Stopwatch.GetElapsedTime(start).TotalSeconds);
        }

        times.Sort();
        return times[Samples / 2];
    }
}
