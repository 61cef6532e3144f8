using System.Data.Common;
using System.Globalization;

namespace Poolhouse.Data.Providers;

/// <summary>
/// The keywords of a connection string that configure a pool, in the providers' spellings: reads, applies and removes them.
/// </summary>
// A keyword is recognized by its letters alone, so that "Max Pool Size", "MaxPoolSize" and "max pool size" are the same. What is
// not about pooling stays in the string unchanged, for the provider to interpret.
internal sealed class PoolKeywords
{
    /// <summary>The largest size that a pool can have.</summary>
    public const int LargestMaxSize = 1_000_000;

    private static readonly string[] _names =
    [
        "pooling", "minimumpoolsize", "minpoolsize", "maximumpoolsize", "maxpoolsize", "connectionlifetime", "loadbalancetimeout",
        "connectionidlelifetime", "connectionidletimeout", "connectionpruninginterval", "enlist", "autoenlist", "noresetonclose",
        "connectionreset",
        "poolblockingperiod",
    ];

    // The timeouts also limit the opening of a physical connection: they are read, and remain for the provider.
    private static readonly string[] _timeouts = ["timeout", "connecttimeout", "connectiontimeout"];
    private static readonly string[] _shared = [.. _timeouts, "multiplexing"];

    private readonly Dictionary<string, (string Keyword, string Value)> _found = new(StringComparer.Ordinal);

    private PoolKeywords(string rest, Dictionary<string, (string Keyword, string Value)> found)
    {
        ProviderString = rest;
        _found = found;
    }

    /// <summary>The connection string without them.</summary>
    public string ProviderString { get; }

    /// <summary>Whether the string disables pooling.</summary>
    public bool OptsOut => Read("pooling", ReadFlag) == false;

    /// <summary>Rejects a string that enables multiplexing.</summary>
    /// <exception cref="ArgumentException">It does.</exception>
    public void ThrowIfMultiplexing(string parameter)
    {
        if (Read("multiplexing", ReadFlag) == true)
        {
            throw new ArgumentException(
                "The connection string enables multiplexing, but a connection that serves several callers cannot be leased to " +
                "one of them. Disable it, or use the provider's data source.",
                parameter);
        }
    }

    /// <summary>Parses a connection string.</summary>
    /// <exception cref="ArgumentException">The string cannot be read, or a keyword has a value out of its range.</exception>
    public static PoolKeywords Of(string connectionString, DbProviderProfile? profile = null)
    {
        var all = ConnectionStrings.Parse(
            connectionString, "The connection string is invalid; allowed: a list of keyword=value pairs.",
            profile is { UsesOdbcRules: true });
        var found = new Dictionary<string, (string Keyword, string Value)>(StringComparer.Ordinal);
        foreach (var keyword in all.Keys.Cast<string>().ToList())
        {
            var letters = ConnectionStrings.LettersOf(keyword);
            var value = Convert.ToString(all[keyword], CultureInfo.InvariantCulture) ?? string.Empty;
            if (_names.Contains(letters, StringComparer.Ordinal))
            {
                all.Remove(keyword);
                found[letters] = (keyword, value);
            }
            else if (_shared.Contains(letters, StringComparer.Ordinal))
            {
                found[letters] = (keyword, value);
            }
        }

        return new PoolKeywords(all.ConnectionString, found);
    }

    /// <summary>Replaces the options by the settings of the connection string.</summary>
    /// <exception cref="ArgumentException">Both set the rent timeout, to different times.</exception>
    public void Apply(DbPoolOptions options)
    {
        var pool = options.Pool;
        pool.MaxSize = (int)(Read("maximumpoolsize", ReadSize) ?? Read("maxpoolsize", ReadSize) ?? pool.MaxSize);
        if ((Read("minimumpoolsize", ReadCount) ?? Read("minpoolsize", ReadCount)) is { } minimum)
        {
            (pool.MinIdle, pool.MinIdleCountsAll) = ((int)minimum, true);
        }

        pool.MaxLifetime = Read("connectionlifetime", ReadSeconds) ?? Read("loadbalancetimeout", ReadSeconds) ?? pool.MaxLifetime;
        pool.IdleTimeout =
            Read("connectionidlelifetime", ReadSeconds) ?? Read("connectionidletimeout", ReadSeconds) ?? pool.IdleTimeout;
        if (ReadRentTimeout(options) is { } limit)
        {
            pool.RentTimeout = limit;
        }

        options.Enlist = Read("enlist", ReadFlag) ?? Read("autoenlist", ReadFlag) ?? options.Enlist;
        if (Read("noresetonclose", ReadFlag) == true || Read("connectionreset", ReadFlag) == false)
        {
            options.Reset = SessionReset.None;
        }

        if (pool.MinIdle > pool.MaxSize)
        {
            throw new ArgumentException(
                $"The connection string specifies a minimum pool size of {pool.MinIdle} and a maximum of {pool.MaxSize}; " +
                "allowed: a minimum of at most the maximum.",
                nameof(options));
        }
    }

    // Unlike the other keywords it is also passed to the provider, so the meaning is ambiguous: a contradiction is an error.
    private TimeSpan? ReadRentTimeout(DbPoolOptions options)
    {
        var pool = options.Pool;
        foreach (var name in _timeouts)
        {
            if (_found.TryGetValue(name, out var entry))
            {
                var limit = ReadSeconds(entry);
                return limit == pool.RentTimeout || !pool.HasRentTimeout
                    ? limit
                    : throw new ArgumentException(
                        $"RentTimeout is set to {pool.RentTimeout}, and the connection string has " +
                        $"{entry.Keyword}={ShownValue(entry.Value)}; allowed: one of the two, or the same time in both.",
                        nameof(options));
            }
        }

        return null;
    }

    /// <summary>Whether the caller wants the secrets of a connection string to be shown, as in every ADO.NET provider.</summary>
    internal static bool PersistsSecurityInfo(DbConnectionStringBuilder builder) =>
        builder.Keys.Cast<string>().Any(
            keyword => ConnectionStrings.LettersOf(keyword) is "persistsecurityinfo"
                && builder[keyword].ToString()?.Trim().ToUpperInvariant() is "TRUE" or "YES");

    private static bool? ReadFlag((string Keyword, string Value) entry) => entry.Value.Trim().ToUpperInvariant() switch
    {
        "TRUE" or "YES" or "ON" or "1" => true,
        "FALSE" or "NO" or "OFF" or "0" => false,
        _ => throw Invalid(entry, "true or false"),
    };

    private static long? ReadSize((string Keyword, string Value) entry) =>
        ReadNumber(entry, 1, LargestMaxSize);

    private static long? ReadCount((string Keyword, string Value) entry) =>
        ReadNumber(entry, 0, LargestMaxSize);

    private static TimeSpan? ReadSeconds((string Keyword, string Value) entry) =>
        ReadNumber(entry, 0, 4_294_967) is var seconds and not 0 ? TimeSpan.FromSeconds(seconds) : Timeout.InfiniteTimeSpan;

    private static long ReadNumber((string Keyword, string Value) entry, long min, long max) =>
        long.TryParse(entry.Value, NumberStyles.Integer, CultureInfo.InvariantCulture, out var number) && number >= min
            && number <= max
            ? number
            : throw Invalid(entry, string.Create(CultureInfo.InvariantCulture, $"{min:N0} to {max:N0}"));

#pragma warning disable MA0015, CA2208 // The name is that of the parameter of the public method that received the string.
    private static ArgumentException Invalid((string Keyword, string Value) entry, string allowed) =>
        new($"The connection string has {entry.Keyword}={ShownValue(entry.Value)}; allowed: {allowed}.", "connectionString");
#pragma warning restore MA0015, CA2208

    // If a semicolon or the value is missing, the text may belong to another keyword.
    private static string ShownValue(string value) =>
        value.Length <= 24 && !value.AsSpan().ContainsAny("= '\"") ? value : "(not shown)";

    private TValue? Read<TValue>(string name, Func<(string Keyword, string Value), TValue?> read)
        where TValue : struct => _found.TryGetValue(name, out var entry) ? read(entry) : null;
}
