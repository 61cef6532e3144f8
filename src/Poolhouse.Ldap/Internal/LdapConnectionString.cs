using System.DirectoryServices.Protocols;
using System.Globalization;
using Poolhouse.Data.Providers;
using Poolhouse.Servers;

namespace Poolhouse.Ldap.Internal;

/// <summary>
/// Connection strings: keywords by their letters alone, so that "Max Pool Size" and "MaxPoolSize" are the same.
/// </summary>
internal static class LdapConnectionString
{
    // As for every resource pool.
    private const int LargestMaxSize = 1_000_000;

    private static readonly Dictionary<string, Func<LdapPoolOptions, string, string?>> _keywords = new(StringComparer.Ordinal)
    {
        ["server"] = ReadServers,
        ["servers"] = ReadServers,
        ["host"] = ReadServers,
        ["dnsdomain"] = (options, value) => Text(value, text => options.DnsDomain = text),
        ["dnsrefreshinterval"] = (options, value) => Seconds(value, time => options.DnsRefreshInterval = time),
        ["port"] = (options, value) => Number(value, 1, 65_535, number => options.Port = number),
        ["security"] = (options, value) => Choice<LdapSecurity>(value, choice => options.Security = choice),
        ["authtype"] = (options, value) => Choice<AuthType>(value, choice => options.AuthType = choice),
        ["username"] = (options, value) => Text(value, text => options.UserName = text),
        ["userid"] = (options, value) => Text(value, text => options.UserName = text),
        ["binddn"] = (options, value) => Text(value, text => options.UserName = text),
        ["password"] = (options, value) => Text(value, text => options.Password = text),
        ["protocolversion"] = (options, value) => Number(value, 2, 3, number => options.ProtocolVersion = number),
        ["servernameisfullyqualified"] = (options, value) => Flag(value, flag => options.ServerNameIsFullyQualified = flag),
        ["operationtimeout"] = (options, value) => Seconds(value, time => options.OperationTimeout = time),
        ["timeout"] = (options, value) => Seconds(value, time => options.OperationTimeout = time),
        ["connectiontimeout"] =
            (options, value) => Seconds(value, time => options.Pool.CreateTimeout = options.VerifyPool.CreateTimeout = time),
        ["renttimeout"] =
            (options, value) => Seconds(value, time => options.Pool.RentTimeout = options.VerifyPool.RentTimeout = time, min: 0),
        ["maxpoolsize"] = (options, value) => Number(value, 1, LargestMaxSize, number => options.Pool.MaxSize = number),
        ["minpoolsize"] = (options, value) => Number(value, 0, LargestMaxSize, number => options.Pool.MinIdle = number),
        ["maxverifypoolsize"] =
            (options, value) => Number(value, 1, LargestMaxSize, number => options.VerifyPool.MaxSize = number),
        ["maxbindsperconnection"] =
            (options, value) => Number(value, 1, int.MaxValue, number => options.MaxBindsPerConnection = number),
        ["connectionlifetime"] =
            (options, value) => Seconds(value, time => options.Pool.MaxLifetime = options.VerifyPool.MaxLifetime = time),
        ["connectionidletimeout"] =
            (options, value) => Seconds(value, time => options.Pool.IdleTimeout = options.VerifyPool.IdleTimeout = time),
        ["keepalive"] = (options, value) => Seconds(value, time => options.Pool.KeepAliveInterval = time),
        ["trustedcertificatesdirectory"] = (options, value) => Text(value, text => options.TrustedCertificatesDirectory = text),
        ["validation"] = (options, value) => Choice<LdapValidation>(value, choice => options.Validation = choice),
        ["retries"] = (options, value) => Choice<LdapRetries>(value, choice => options.Retries = choice),
        ["selection"] = (options, value) => Choice<ServerSelection>(value, choice => options.ServerSet.Selection = choice),
        ["name"] = (options, value) => Text(value, text => options.Pool.Name = text),
    };

    /// <summary>The keywords by their letters; several mean the same.</summary>
    public static IEnumerable<string> Keywords => _keywords.Keys;

    /// <summary>Sets the options that a connection string contains.</summary>
    public static void Read(string connectionString, LdapPoolOptions options)
    {
        var all = ConnectionStrings.Parse(
            connectionString, "The LDAP connection string is invalid; allowed: a list of keyword=value pairs.");
        var errors = new List<string>();
        var (position, mayBePassword) = (0, false);
        foreach (var keyword in all.Keys.Cast<string>())
        {
            position++;
            var value = Convert.ToString(all[keyword], CultureInfo.InvariantCulture) ?? "";
            var letters = ConnectionStrings.LettersOf(keyword);
            if (!_keywords.TryGetValue(letters, out var read))
            {
                // What follows an unquoted semicolon in a password looks like a keyword; the one before may be misspelled.
                errors.Add(mayBePassword ? PossiblePassword(position) : $"{Redact(keyword)} is not a keyword.");
                mayBePassword = true;
            }
            else if (read(options, value) is { } allowed)
            {
                // The text may be another keyword's value if a semicolon is missing.
                errors.Add($"{keyword} has an invalid value; allowed: {allowed}.");
            }

            // Where a semicolon is missing, the next keyword is part of the value.
            mayBePassword |= string.Equals(letters, "password", StringComparison.Ordinal)
                || value.Contains("password", StringComparison.OrdinalIgnoreCase);
        }

        if (errors.Count > 0)
        {
            throw new ArgumentException(
                $"Invalid LDAP connection string. {string.Join(' ', errors)}", nameof(connectionString));
        }
    }

    private static string PossiblePassword(int position) => string.Create(
        CultureInfo.InvariantCulture,
        $"Keyword {position} is not a keyword (not shown: it may be part of a password; quote one that has a semicolon).");

    private static string Redact(string keyword) =>
        keyword.Length <= 40 && keyword.All(character => char.IsLetterOrDigit(character) || character is ' ' or '_' or '-')
            ? $"'{keyword}'"
            : "(not shown)";

    private static string? ReadServers(LdapPoolOptions options, string value)
    {
        foreach (var server in value.Split([',', ' '], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            options.Servers.Add(server);
        }

        return null;
    }

    private static string? Text(string value, Action<string> set)
    {
        set(value);
        return null;
    }

    private static string? Number(string value, int min, int max, Action<int> set)
    {
        if (!int.TryParse(value, NumberStyles.Integer, CultureInfo.InvariantCulture, out var number) || number < min
            || number > max)
        {
            return string.Create(CultureInfo.InvariantCulture, $"{min:N0} to {max:N0}");
        }

        set(number);
        return null;
    }

    private static string? Seconds(string value, Action<TimeSpan> set, double min = 0.001)
    {
        if (!double.TryParse(value, NumberStyles.Float, CultureInfo.InvariantCulture, out var seconds) || !(seconds >= min)
            || seconds > 4_294_967)
        {
            return string.Create(CultureInfo.InvariantCulture, $"{min} to 4,294,967 seconds");
        }

        set(TimeSpan.FromSeconds(seconds));
        return null;
    }

    private static string? Flag(string value, Action<bool> set)
    {
        if (!bool.TryParse(value.Trim(), out var flag))
        {
            return "true or false";
        }

        set(flag);
        return null;
    }

    private static string? Choice<T>(string value, Action<T> set)
        where T : struct, Enum
    {
        if (int.TryParse(value, NumberStyles.Integer, CultureInfo.InvariantCulture, out _)
            || !Enum.TryParse<T>(value, ignoreCase: true, out var choice))
        {
            return string.Join(", ", Enum.GetNames<T>());
        }

        set(choice);
        return null;
    }
}
