using System.Data.Common;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>
/// Has each connection destroyed after its lease, because its database exists only in it. That is not a failure.
/// </summary>
internal sealed class DiscardReset : SessionReset
{
    public override ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        new(result: false);

    /// <summary>Whether a connection of SQLite holds its database in memory or in a temporary file of its own.</summary>
    public static bool IsFor(DbConnection connection)
    {
        string? source = null;
        var builder = new DbConnectionStringBuilder { ConnectionString = connection.ConnectionString };
        foreach (string keyword in builder.Keys)
        {
            var value = builder[keyword].ToString()!.Trim();
            switch (ConnectionStrings.LettersOf(keyword))
            {
                case "datasource" or "filename" or "fulluri" or "uri":
                    source = value;
                    break;
                case "mode" when value.Equals("Memory", StringComparison.OrdinalIgnoreCase):
                    return true;
            }
        }

        return string.IsNullOrEmpty(source)
            || source.Equals(":memory:", StringComparison.Ordinal)
            || (source.StartsWith("file:", StringComparison.OrdinalIgnoreCase)
                && (source.Contains(":memory:", StringComparison.Ordinal)
                || source.Contains("mode=memory", StringComparison.OrdinalIgnoreCase)));
    }
}
