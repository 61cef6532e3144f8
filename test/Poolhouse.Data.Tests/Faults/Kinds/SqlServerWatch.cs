using System.Globalization;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>Lists and ends the sessions of a model of SQL Server, which all belong to one pool.</summary>
internal sealed class SqlServerWatch(TdsServer server) : ISessionWatch
{
    public ValueTask<long> CountAsync(string sessionName) => new(server.Sessions.Count);

    public ValueTask<IReadOnlyList<string>> ListAsync(string sessionName) => new(
        [.. server.Sessions.Select(session => string.Create(CultureInfo.InvariantCulture, $"{session.Id} {session.IsBusy}"))]);

    public ValueTask<long> CountBusyAsync(string sessionName) => new(server.Sessions.Count(session => session.IsBusy));

    public async Task<long> TerminateAsync(string sessionName, int atMost = int.MaxValue)
    {
        var ended = server.Sessions.Select(session => session.Id).OrderBy(_ => Random.Shared.Next()).Take(atMost).ToList();
        var found = ended.Count(server.Kill);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(server.Sessions), sessions => !sessions.Any(session => ended.Contains(session.Id)),
            "the killed sessions are gone");
        return found;
    }

    public ValueTask DisposeAsync() => default;
}
