using System.Globalization;

namespace Poolhouse.Caching.Misuse;

/// <summary>The paranoid mode of a pool: from its options, or else from the setting of the process.</summary>
/// <param name="Mode">Off, Report or Throw.</param>
/// <param name="Sampling">One of how many rents is checked in full.</param>
internal readonly record struct ParanoidSetting(ParanoidMode Mode, int Sampling)
{
    public const string Variable = "POOLHOUSE_PARANOID";
    public const string Switch = "Poolhouse.Paranoid";
    public const int LargestSampling = 1_000_000;
    public const string Allowed =
        "0, 1, report or throw, and optionally /N to check one of N rents in full, with N from 1 to 1,000,000: report/100";

    // Read once, so that all pools of a process agree.
    private static readonly (string Name, string? Text) _process =
        System.Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } text
            ? (Variable, text)
            : (Switch, AppContext.GetData(Switch)?.ToString());

    public bool IsOn => Mode is ParanoidMode.Report or ParanoidMode.Throw;

    /// <summary>Reports an unusable setting of the process, together with the errors of a pool's options.</summary>
    public static void Validate(PoolOptionErrors errors) =>
        errors.Check(TryParse(_process.Text, out _), _process.Name, _process.Text, Allowed);

    /// <summary>The setting of a pool whose options were validated.</summary>
    public static ParanoidSetting Of(ParanoidMode mode, int? sampling)
    {
        _ = TryParse(_process.Text, out var process);
        if (mode == ParanoidMode.Default)
        {
            // Caches know their leases only in paranoid mode.
            mode = !process.IsOn && LeaseWatch.Installed is not null ? ParanoidMode.Report : process.Mode;
        }

        return new ParanoidSetting(mode, sampling ?? process.Sampling);
    }

    /// <summary>Reads a text such as <c>1</c>, <c>throw</c> or <c>report/100</c>. Null and empty are off.</summary>
    public static bool TryParse(string? text, out ParanoidSetting setting)
    {
        if (text is null)
        {
            setting = new ParanoidSetting(ParanoidMode.Off, 1);
            return true;
        }

        var (mode, sampling) = text.Split('/', 2) is [var first, var second] ? (first, second) : (text, "1");
        ParanoidMode? parsed = mode.Trim().ToUpperInvariant() switch
        {
            "" or "0" or "OFF" or "FALSE" => ParanoidMode.Off,
            "1" or "THROW" or "TRUE" => ParanoidMode.Throw,
            "REPORT" => ParanoidMode.Report,
            _ => null,
        };
        var isValid = int.TryParse(sampling, NumberStyles.None, CultureInfo.InvariantCulture, out var rate)
            && rate is >= 1 and <= LargestSampling
            && parsed is not null;
        setting = isValid ? new ParanoidSetting(parsed!.Value, rate) : new ParanoidSetting(ParanoidMode.Off, 1);
        return isValid;
    }
}
