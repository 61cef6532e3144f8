using System.Data.Common;

namespace Poolhouse.Data.Providers;

/// <summary>Connection strings for providers under a pool: with their own pooling turned off.</summary>
internal static class ProviderStrings
{
    // Keywords are compared by their letters alone, as PoolKeywords does. Providers add keywords, so every keyword that contains
    // one of these words is treated as a secret, and so is one that ends like a short name for a password.
    private static readonly string[] _secretWords = ["secret", "key", "token", "pass"];

    private static readonly string[] _secretEndings = ["pwd", "psw", "pw"];

    // Settings of well-known providers that have such a word and no secret.
    private static readonly string[] _harmless = ["foreignkeys", "allowpublickeyretrieval"];

    /// <summary>A string with pooling turned off and enlisting set, if the provider supports these keywords.</summary>
    // A pool opens its connections outside its callers' transactions: enlisting has no effect there, but Entity Framework's
    // provider reads it.
    public static string WithoutPool(DbProviderFactory factory, DbProviderProfile profile, string connectionString, bool enlist)
    {
        var builder = Parse(factory, connectionString);
        if (profile.PoolingKeyword is { } keyword)
        {
            builder[keyword] = false;
        }

        SetKnown(builder, value: false, "Pooling");
        SetKnown(builder, enlist, "Enlist", "Auto Enlist");
        return builder.ConnectionString;
    }

    /// <summary>A string for a provider pool that holds one connection until its owner closes it.</summary>
    // More are allowed: Npgsql opens a second one to query key columns, and would wait for the first otherwise. After
    // ChangeDatabase it uses the same string with the other database, for all connections together.
    public static string WithPoolOfOne(DbProviderFactory factory, string connectionString)
    {
        var builder = Parse(factory, connectionString);
        SetKnown(builder, value: true, "Pooling");
        SetKnown(builder, value: 100, "Maximum Pool Size", "Max Pool Size");
        SetKnown(builder, value: 1, "Minimum Pool Size", "Min Pool Size");
        SetKnown(builder, value: 0, "Connection Lifetime", "Load Balance Timeout");
        return builder.ConnectionString;
    }

    /// <summary>A string whose sessions a budget recognizes by their name.</summary>
    public static string WithName(DbProviderFactory factory, string connectionString, ServerBudget budget)
    {
        const string Keyword = "Application Name";
        var builder = Parse(factory, connectionString);
        var name = Knows(builder, Keyword) ? builder[Keyword] as string : null;
        SetKnown(builder, budget.NameFor(name), Keyword);
        return builder.ConnectionString;
    }

    /// <summary>A string with another user name and password.</summary>
    public static string With(
        DbProviderFactory factory, DbProviderProfile profile, string connectionString, DbCredential credential)
    {
        var builder = Parse(factory, connectionString);
        profile.SetCredential(builder, credential);
        return builder.ConnectionString;
    }

    /// <summary>A string with another value of a keyword.</summary>
    public static string With(DbConnectionStringBuilder builder, string keyword, string value)
    {
        builder[keyword] = value;
        return builder.ConnectionString;
    }

    /// <summary>A string that may be shown: without secrets, unless it says that they persist.</summary>
    public static string WithoutPassword(string connectionString, DbProviderProfile? profile = null)
    {
        var builder = new DbConnectionStringBuilder(useOdbcRules: profile is { UsesOdbcRules: true })
        {
            ConnectionString = connectionString,
        };
        if (PoolKeywords.PersistsSecurityInfo(builder))
        {
            return connectionString;
        }

        var found = false;
        foreach (var keyword in builder.Keys.Cast<string>().ToList())
        {
            if (IsSecret(ConnectionStrings.LettersOf(keyword)) || HoldsSecret(builder[keyword].ToString() ?? string.Empty))
            {
                found |= builder.Remove(keyword);
            }
        }

        // Rewritten only if necessary: the builder spells the keywords in its own way.
        return found ? builder.ConnectionString : connectionString;
    }

    /// <summary>
    /// Whether the connection string of a data source enables pooling, explicitly or by the provider's default.
    /// </summary>
    public static bool Pools(DbDataSource source)
    {
        using var sample = source.CreateConnection();
        var factory = DbProviderFactories.GetFactory(sample);
        return factory is not null
            && Parse(factory, source.ConnectionString) is var builder
            && Knows(builder, "Pooling")
            && builder["Pooling"] is true;
    }

    // A value that holds more keywords: where a semicolon was forgotten, one of them may be the password.
    private static bool HoldsSecret(string value)
    {
        for (var equals = value.IndexOf('=', StringComparison.Ordinal); equals >= 0; equals = value.IndexOf('=', equals + 1))
        {
            var before = ConnectionStrings.LettersOf(value[..equals]);
            if (IsSecret(before))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsSecret(string letters)
    {
        var name = letters.AsSpan().TrimEnd("0123456789").ToString();
        return !_harmless.Contains(name, StringComparer.Ordinal)
            && (Array.Exists(_secretWords, word => name.Contains(word, StringComparison.Ordinal))
                || Array.Exists(_secretEndings, ending => name.EndsWith(ending, StringComparison.Ordinal)));
    }

    public static DbConnectionStringBuilder Parse(DbProviderFactory factory, string connectionString)
    {
        var builder = factory.CreateConnectionStringBuilder() ?? new DbConnectionStringBuilder();
        builder.ConnectionString = connectionString;
        return builder;
    }

    /// <summary>Sets the first of the keywords that the provider knows. Returns false if it knows none.</summary>
    public static bool SetKnown(DbConnectionStringBuilder builder, object value, params ReadOnlySpan<string> spellings)
    {
        var profile = DbProviderProfile.For(builder.GetType());
        foreach (var spelling in spellings)
        {
            if (Knows(builder, spelling) || profile.HasKeyword(spelling))
            {
                builder[spelling] = value;
                return true;
            }
        }

        return false;
    }

    // The builder of most providers lists all keywords of the provider; that of MySqlConnector and the general one list only
    // those that are set. The former has a default for the others, the general one throws.
    private static bool Knows(DbConnectionStringBuilder builder, string keyword)
    {
        if (builder.ContainsKey(keyword))
        {
            return true;
        }

        try
        {
            _ = builder[keyword];
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    public static void Set(DbConnectionStringBuilder builder, string? value, params ReadOnlySpan<string> spellings)
    {
        // The general builder, and that of ODBC, know only the keywords in the string.
        if (value is not null && !SetKnown(builder, value, spellings))
        {
            throw new InvalidOperationException(
                "The provider's connection string has no keyword for a value from DbPoolOptions.Credentials. Add one of these " +
                $"to the connection string, with any value, which is replaced: {string.Join(", ", spellings)}.");
        }
    }
}
