using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Poolhouse.Data.Budgets;

/// <summary>How the members of a budget see the sessions of one kind of server, and show what they want.</summary>
internal abstract class SessionLister
{
    /// <summary>Whether pooled sessions have a name that the list shows; otherwise, members state how many they hold.</summary>
    public abstract bool ShowsNames { get; }

    /// <summary>The property of connections that has the server's number of the session.</summary>
    protected abstract string SessionIdProperty { get; }

    /// <summary>A statement that shows a name to the other members, and returns the list of the sessions.</summary>
    /// <param name="name">The name, which contains neither quotes nor comments.</param>
    /// <param name="isCalm">Whether nothing is expected to change soon, so that the statement may take a second.</param>
    /// <returns>
    /// The statement. Its columns: a name; the sessions that have it; those of the user, and the limit of these; those of the
    /// database, and the limit of these; the limit of the server; the number of this session. Limits are -1 if there is none.
    /// </returns>
    public abstract string StatementFor(string name, bool isCalm);

    /// <summary>
    /// The number of a session as the provider knows it, which differs from the server's if a proxy is between them; null if it
    /// is not known.
    /// </summary>
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the property was trimmed away, a proxy is not detected.")]
    public long? SessionIdOf(DbConnection connection) =>
        connection.GetType().GetProperty(SessionIdProperty)?.GetValue(connection) is IConvertible id
            ? id.ToInt64(CultureInfo.InvariantCulture)
            : null;

    /// <summary>Reads the list.</summary>
    /// <param name="reader">The result of the statement.</param>
    /// <param name="budget">The name of the budget.</param>
    /// <param name="places">A limit of the application for the sessions of the user; null for none.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public async Task<SessionList> ReadAsync(
        DbDataReader reader, string budget, int? places, CancellationToken cancellationToken)
    {
        var members = new SortedDictionary<string, (int Held, int? Wanted)>(StringComparer.Ordinal);
        var (limits, used, sessionId) = (new long[] { -1, -1, -1 }, new long[3], 0L);
        while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
        {
            var sessions = Number(reader, 1);
            (used[0], used[1], used[2]) = (used[0] + Number(reader, 2), used[1] + Number(reader, 4), used[2] + sessions);
            (limits[0], limits[1], limits[2], sessionId) =
                (Number(reader, 3), Number(reader, 5), Number(reader, 6), Number(reader, 7));
            if (reader.GetValue(0) is string name && SessionName.TryRead(name, budget, out var member, out var claim))
            {
                var (held, wanted) = members.GetValueOrDefault(member);
                members[member] = claim is { } stated
                    ? (ShowsNames ? held : stated.Held, stated.Wanted)
                    : (held + (int)sessions, wanted);
            }
        }

        var (room, most) = (long.MaxValue, long.MaxValue);
        foreach (var (limit, count) in limits.Append(places ?? -1).Zip(used.Append(used[0])))
        {
            if (limit >= 0 && limit - count < room)
            {
                (room, most) = (limit - count, limit);
            }
        }

        // A member that has lost its session cannot say what it wants: at least what it holds.
        return new SessionList(
            (int)Math.Clamp(room, int.MinValue, int.MaxValue), (int)Math.Min(most, int.MaxValue), sessionId,
            [.. members.Select(static member => (member.Key, member.Value.Held, member.Value.Wanted ?? member.Value.Held))]);
    }

    private static long Number(DbDataReader reader, int column) =>
        Convert.ToInt64(reader.GetValue(column), CultureInfo.InvariantCulture);
}
