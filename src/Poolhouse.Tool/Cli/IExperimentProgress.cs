namespace Poolhouse.Tool.Cli;

/// <summary>How far one experiment is.</summary>
internal interface IExperimentProgress
{
    void Begin(int steps);

    void Advance();
}
