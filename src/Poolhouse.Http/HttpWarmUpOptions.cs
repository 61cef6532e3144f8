using System.Net;

namespace Poolhouse.Http;

/// <summary>The settings of a warm-up. Not thread safe.</summary>
public sealed class HttpWarmUpOptions
{
    /// <summary>The method of the requests.</summary>
    /// <value>HEAD by default; not null. The status of the response is ignored.</value>
    public HttpMethod Method { get; set; } = HttpMethod.Head;

    /// <summary>The HTTP version of the requests.</summary>
    /// <value>1.1 by default; not null. With 2.0 all requests of a handler share one connection.</value>
    public Version Version { get; set; } = HttpVersion.Version11;

    /// <summary>Which other HTTP versions are acceptable.</summary>
    /// <value><see cref="HttpVersionPolicy.RequestVersionOrLower"/> by default.</value>
    public HttpVersionPolicy VersionPolicy { get; set; } = HttpVersionPolicy.RequestVersionOrLower;

    /// <summary>How long the whole warm-up may take.</summary>
    /// <value>
    /// 15 seconds by default; 1 millisecond to 49 days, or <see cref="System.Threading.Timeout.InfiniteTimeSpan"/>.
    /// </value>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>The clock.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>
    /// Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    internal HttpWarmUpOptions Freeze()
    {
        var errors = new PoolOptionErrors();
        errors.CheckNotNull(Method, nameof(Method));
        errors.CheckNotNull(Version, nameof(Version));
        errors.Check(Enum.IsDefined(VersionPolicy), nameof(VersionPolicy), VersionPolicy, "a value of HttpVersionPolicy");
        errors.CheckDuration(Timeout, nameof(Timeout), TimeSpan.FromMilliseconds(1));
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
        errors.ThrowIfAny(this);
        return (HttpWarmUpOptions)MemberwiseClone();
    }
}
