using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Bench;

/// <summary>A question that <c>bench</c> answers: by measuring operations, or by observing a pool.</summary>
internal abstract class Study
{
    /// <summary>The name of its files and its anchor on the page.</summary>
    public abstract string Id { get; }

    /// <summary>What selects it on the command line.</summary>
    public abstract string Group { get; }

    public abstract string Title { get; }

    /// <summary>The question that it answers, in a sentence.</summary>
    public abstract string Question { get; }

    /// <summary>The exact method, so that a reader can judge the figures.</summary>
    public abstract string Method { get; }

    /// <summary>The database that it needs, if any.</summary>
    public virtual DatabaseKind? Needs => null;

    /// <summary>Whether it stops the database's server and starts it again.</summary>
    public virtual bool StopsServer => false;
}
