using System.Data.Common;
using System.Globalization;
using System.Text.RegularExpressions;
using MySqlConnector;

namespace Poolhouse.Tool.Fleet;

/// <summary>
/// MySQL and MariaDB, whose list of sessions shows statements: each instance runs one nearly all the time, which names it and
/// says what its pools hold.
/// </summary>
internal sealed partial class MySqlFleet : FleetServer
{
    // Without the privilege PROCESS, only the sessions of the same user.
    private const string Query =
        """
        SELECT USER, HOST, COALESCE(INFO, ''), USER = SUBSTRING_INDEX(USER(), '@', 1), CURRENT_USER(), @@max_user_connections,
            @@global.max_user_connections, @@max_connections
        FROM information_schema.PROCESSLIST
        WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler', 'unauthenticated user')
        """;

    // An instance shows nothing between two statements.
    private const int Readings = 3;

    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(70);

    public override string Provider => "mysql";

    public override string Word => "User";

    public override DbDataSource Open(string connection) => new MySqlDataSource(connection + ";Pooling=false");

    public override async Task<IReadOnlyList<FleetInstance>> ReadAsync(DbDataSource source, CancellationToken cancellation)
    {
        var connection = await source.OpenConnectionAsync(cancellation).ConfigureAwait(false);
        await using var _ = connection.ConfigureAwait(false);
        var limits = await ReadLimitsAsync(connection, cancellation).ConfigureAwait(false);
        IReadOnlyList<Session> sessions = [];
        var members = new Dictionary<(string, string), FleetInstance>();
        for (var i = 0; i < Readings; i++)
        {
            await Task.Delay(i == 0 ? TimeSpan.Zero : _pause, cancellation).ConfigureAwait(false);
            sessions = await ReadSessionsAsync(connection, cancellation).ConfigureAwait(false);
            foreach (var member in sessions.Select(session => MemberOf(session, limits)).OfType<FleetInstance>())
            {
                members[(member.Role, member.Member!)] = member;
            }
        }

        // What a member claims to hold has no name in the list.
        var others = sessions.GroupBy(static session => session.User, StringComparer.Ordinal).Select(user =>
            InstanceOf(user.First(), limits) with
            {
                Held = Math.Max(
                    0,
                    user.Count() - members.Values.Where(member => member.Role == user.Key).Sum(static each => each.Sessions)),
            });
        return
        [
            .. members.Values.Concat(others.Where(static each => each.Held > 0))
                .OrderBy(static each => each.Role, StringComparer.Ordinal).ThenBy(static each => each.Budget is null)
                .ThenBy(static each => each.Budget, StringComparer.Ordinal)
                .ThenBy(static each => each.Member, StringComparer.Ordinal),
        ];
    }

    public override string LimitOf(FleetInstance instance, int places)
    {
        var account = string.Join('@', (instance.Account ?? $"{instance.Role}@%").Split('@').Select(Quoted));
        return string.Create(CultureInfo.InvariantCulture, $"ALTER USER {account} WITH MAX_USER_CONNECTIONS {places};");
    }

    private static FleetInstance? MemberOf(Session session, Dictionary<string, (string Account, int Limit)> limits) =>
        Claim().Match(session.Statement) is { Success: true } claim
            ? InstanceOf(session, limits) with
            {
                Budget = claim.Groups["budget"].Value,
                Member = claim.Groups["member"].Value,
                Wanted = int.Parse(claim.Groups["wanted"].ValueSpan, CultureInfo.InvariantCulture),
                Held = int.Parse(claim.Groups["held"].ValueSpan, CultureInfo.InvariantCulture),
            }
            : null;

    private static FleetInstance InstanceOf(Session session, Dictionary<string, (string Account, int Limit)> limits)
    {
        var (account, limit) = limits.GetValueOrDefault(session.User, (session.Account ?? $"{session.User}@%", 0));
        limit = limit > 0 ? limit : session.Limit;
        return new FleetInstance(
            session.User, limit > 0 ? limit : -1, Budget: null, Member: null, session.Host.Split(':')[0], Held: 0, Wanted: null,
            session.ServerLimit)
        {
            Account = account,
        };
    }

    private static async Task<IReadOnlyList<Session>> ReadSessionsAsync(DbConnection connection, CancellationToken cancellation)
    {
        var sessions = new List<Session>();
        var command = connection.CreateCommand();
        await using var _ = command.ConfigureAwait(false);
        command.CommandText = Query;
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var __ = reader.ConfigureAwait(false);
        while (await reader.ReadAsync(cancellation).ConfigureAwait(false))
        {
            var isOwn = NumberAt(reader, 3) != 0;
            sessions.Add(new Session(
                reader.GetString(0), reader.GetString(1), reader.GetString(2), isOwn ? reader.GetString(4) : null,
                NumberAt(reader, isOwn ? 5 : 6), NumberAt(reader, 7)));
        }

        return sessions;
    }

    /// <summary>The limits of all users; empty for an account that may not read them, which knows its own.</summary>
    private static async Task<Dictionary<string, (string Account, int Limit)>> ReadLimitsAsync(
        DbConnection connection, CancellationToken cancellation)
    {
        var limits = new Dictionary<string, (string, int)>(StringComparer.Ordinal);
        try
        {
            var command = connection.CreateCommand();
            await using var _ = command.ConfigureAwait(false);
            command.CommandText = "SELECT User, Host, max_user_connections FROM mysql.user";
            var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
            await using var __ = reader.ConfigureAwait(false);
            while (await reader.ReadAsync(cancellation).ConfigureAwait(false))
            {
                limits.TryAdd(reader.GetString(0), ($"{reader.GetString(0)}@{reader.GetString(1)}", NumberAt(reader, 2)));
            }
        }
        catch (MySqlException)
        {
            limits.Clear();
        }

        return limits;
    }

    private static int NumberAt(DbDataReader reader, int column) =>
        Convert.ToInt32(reader.GetValue(column), CultureInfo.InvariantCulture);

    private static string Quoted(string name) => $"'{name.Replace("'", "''", StringComparison.Ordinal)}'";

    [GeneratedRegex(
        @"^/\* ph/(?<budget>[^/ ]+)/(?<member>[^/ ]+)/w(?<wanted>\d+)h(?<held>\d+) \*/", RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: 1000)]
    private static partial Regex Claim();

    private sealed record Session(
        string User, string Host, string Statement, string? Account, int Limit, int ServerLimit);
}
