namespace Poolhouse.Tool.Bench.Resources;

/// <summary>How much real time the scenarios may take.</summary>
internal enum ScenarioPace
{
    Full,
    Quick,

    /// <summary>For tests: everything happens at once, with meaningless results.</summary>
    Tiny,
}
