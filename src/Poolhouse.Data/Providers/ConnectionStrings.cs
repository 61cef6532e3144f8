using System.Data.Common;

namespace Poolhouse.Data.Providers;

/// <summary>Reads connection strings, also those of the packages that compile this file for themselves.</summary>
internal static class ConnectionStrings
{
    /// <summary>Parses a connection string.</summary>
    /// <exception cref="ArgumentException">It is invalid. Only the given message is shown.</exception>
    public static DbConnectionStringBuilder Parse(string connectionString, string message, bool useOdbcRules = false)
    {
        var builder = new DbConnectionStringBuilder(useOdbcRules);
        try
        {
            builder.ConnectionString = connectionString;
            return builder;
        }
#pragma warning disable MA0054 // The builder's own message quotes the string, and with it the password.
        catch (ArgumentException)
        {
            throw new ArgumentException(message, nameof(connectionString));
        }
#pragma warning restore MA0054
    }

    /// <summary>The letters and digits of a keyword, so that "Max Pool Size" and "MaxPoolSize" are the same.</summary>
    public static string LettersOf(string keyword) => string.Concat(keyword.Where(char.IsLetterOrDigit)).ToLowerInvariant();
}
